// Everything copied onto itself.
// isolated: limit builtin
// in process: limit builtin
export default () => Array.prototype.copyWithin.call({ length: 2 ** 53 - 1 }, 0, 1);
