// A getter that never ends.
// isolated: time
// in process: time
export default () => ({ get x() { for (;;); } }).x;
