// Exponential backtracking in split.
// isolated: time | limit
// in process: limit
export default () => "a".repeat(60).split(/(a+)+\1b/);
