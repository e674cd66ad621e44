// Padding to a tebibyte at the other end, by a filler of several characters.
// isolated: limit memory
// in process: limit memory
export default () => "x".padEnd(2 ** 40, "abc").length;
