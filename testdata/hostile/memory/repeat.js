// A string of a tebibyte, asked for at once.
// isolated: limit memory
// in process: limit memory
export default () => "x".repeat(2 ** 40).length;
