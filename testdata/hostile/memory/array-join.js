// A sparse array, joined by a long separator.
// isolated: limit builtin
// in process: limit builtin
export default () => new Array(2 ** 32 - 1).join("x".repeat(1000)).length;
