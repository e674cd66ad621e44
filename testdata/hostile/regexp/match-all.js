// Exponential backtracking in matchAll.
// isolated: time | limit
// in process: limit
export default () => [..."a".repeat(60).matchAll(/(a+)+\1b/g)];
