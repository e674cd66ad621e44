// Exponential backtracking behind a look-behind.
// isolated: ok
// in process: ok
export default () => /(?<=(a+)+b)c/.test("a".repeat(60) + "c");
