// A function that calls itself.
// isolated: depth
// in process: depth
export default function f() { return 1 + f(); }
