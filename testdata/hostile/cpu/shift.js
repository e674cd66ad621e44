// Everything moved by one.
// isolated: limit builtin
// in process: limit builtin
export default () => Array.prototype.shift.call({ length: 2 ** 53 - 1 });
