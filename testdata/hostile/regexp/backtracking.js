// Exponential backtracking, which a back-reference keeps from the engine that is linear.
// isolated: time | limit
// in process: limit
export default () => /(a+)+\1b/.test("a".repeat(40));
