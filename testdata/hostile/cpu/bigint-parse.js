// A BigInt of ten million digits.
// isolated: limit builtin
// in process: limit builtin
export default () => BigInt("9".repeat(1e7));
