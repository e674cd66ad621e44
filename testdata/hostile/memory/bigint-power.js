// A power that no memory holds.
// isolated: limit memory | time
// in process: never
export default () => 2n ** (2n ** 40n);
