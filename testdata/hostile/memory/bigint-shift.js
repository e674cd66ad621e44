// A BigInt with 2^40 bits.
// isolated: limit memory
// in process: never
export default () => 1n << (2n ** 40n);
