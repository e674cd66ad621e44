// A pattern whose counted repetitions multiply.
// isolated: limit | script SyntaxError | time | died | ok
// in process: never
export default () => new RegExp("((((((((((a{1,99}){1,99}){1,99}){1,99}){1,99}){1,99}){1,99}){1,99}){1,99}){1,99})+$").test("a".repeat(50) + "b");
