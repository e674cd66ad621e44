// Exponential backtracking in replace.
// isolated: time | limit
// in process: limit
export default () => "a".repeat(60).replace(/(a+)+\1b/g, "");
