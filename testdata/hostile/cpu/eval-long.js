// A sum of a million terms, compiled.
// isolated: limit sourceSize
// in process: limit sourceSize
export default () => (0, eval)("1" + "+1".repeat(3e6));
