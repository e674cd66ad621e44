// Padding to a tebibyte.
// isolated: limit memory
// in process: limit memory
export default () => "x".padStart(2 ** 40).length;
