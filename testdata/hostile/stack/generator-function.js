// The constructor of generator functions.
// isolated: limit nesting
// in process: limit nesting
export default () => (function* () {}).constructor("(".repeat(1e6) + ")".repeat(1e6));
