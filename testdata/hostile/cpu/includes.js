// A search that finds nothing.
// isolated: limit builtin
// in process: limit builtin
export default () => Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1);
