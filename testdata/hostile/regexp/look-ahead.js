// Exponential backtracking behind a look-ahead.
// isolated: ok
// in process: ok
export default () => /(?=(a+)+b)c/.test("a".repeat(60));
