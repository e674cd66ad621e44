// Nested brackets of source, through eval.
// isolated: limit nesting
// in process: limit nesting
export default () => (0, eval)("(".repeat(1e6) + ")".repeat(1e6));
