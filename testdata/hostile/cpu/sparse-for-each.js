// A walk along an array of holes.
// isolated: limit builtin
// in process: limit builtin
export default () => new Array(2 ** 32 - 1).forEach(() => {});
