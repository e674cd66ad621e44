// Nested brackets of source, through Function.
// isolated: limit nesting
// in process: limit nesting
export default () => new Function("return " + "[".repeat(1e6) + "]".repeat(1e6));
