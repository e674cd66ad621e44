// A thousand million elements, filled.
// isolated: limit builtin
// in process: limit builtin
export default () => new Array(1e9).fill(0).length;
