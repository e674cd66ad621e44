// The reverse of nothing, for ever.
// isolated: limit builtin
// in process: limit builtin
export default () => Array.prototype.reverse.call({ length: 2 ** 53 - 1 });
