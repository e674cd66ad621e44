// Alternatives that overlap, through the constructor.
// isolated: time | limit
// in process: limit
export default () => new RegExp("^(?:a|aa|\\1)*(x)?$(?!y)").test("a".repeat(100) + "!");
