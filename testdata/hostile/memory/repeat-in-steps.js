// A string of a gibibyte: small enough to be given, too large for the limit.
// isolated: limit memory
// in process: limit memory
export default () => "x".repeat(2 ** 30).length;
