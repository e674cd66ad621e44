// Arrow functions in arrow functions.
// isolated: limit nesting
// in process: limit nesting
export default () => (0, eval)("a=>".repeat(1e6) + "1");
