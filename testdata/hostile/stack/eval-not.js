// A million exclamation marks: nesting without brackets.
// isolated: limit nesting
// in process: limit nesting
export default () => (0, eval)("!".repeat(3e6) + "1");
