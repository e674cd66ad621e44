// Array.from of something that says it is long.
// isolated: limit builtin
// in process: limit builtin
export default () => Array.from({ length: 2 ** 32 - 1 }, () => ({})).length;
