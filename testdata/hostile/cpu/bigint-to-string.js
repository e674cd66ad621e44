// The digits of a BigInt with a hundred million bits.
// isolated: limit builtin
// in process: limit builtin
export default () => (1n << 100000000n).toString().length;
