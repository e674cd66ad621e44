// A chain of a million members.
// isolated: limit nesting
// in process: limit nesting
export default () => (0, eval)("a" + ".a".repeat(2e6));
