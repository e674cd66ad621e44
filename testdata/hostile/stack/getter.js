// A recursion through a getter.
// isolated: depth
// in process: depth
export default () => ({ get x() { return this.x; } }).x;
