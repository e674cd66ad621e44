// A search through 2^53 - 1 elements that are not there.
// isolated: limit builtin
// in process: limit builtin
export default () => Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1);
