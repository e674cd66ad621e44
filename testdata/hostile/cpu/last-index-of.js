// A search from behind.
// isolated: limit builtin
// in process: limit builtin
export default () => Array.prototype.lastIndexOf.call({ length: 2 ** 53 - 1 }, 1);
