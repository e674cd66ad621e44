// Two thousand million arguments.
// isolated: limit builtin
// in process: limit builtin
export default () => Math.max.apply(null, { length: 2 ** 31 - 1 });
