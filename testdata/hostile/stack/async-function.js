// The constructor of async functions, which no name leads to.
// isolated: limit nesting
// in process: limit nesting
export default () => (async () => {}).constructor("(".repeat(1e6) + ")".repeat(1e6));
