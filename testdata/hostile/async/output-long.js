// One very long line: it is cut.
// isolated: ok
// in process: ok
export default () => console.log("x".repeat(1 << 24), new Array(1e6).fill("y"));
