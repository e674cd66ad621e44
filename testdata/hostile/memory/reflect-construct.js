// Two thousand million arguments of a constructor.
// isolated: limit builtin
// in process: limit builtin
export default () => Reflect.construct(Array, { length: 2 ** 31 - 1 });
