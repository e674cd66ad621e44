// A comparison that empties the array while it is sorted.
// isolated: ok
// in process: ok
export default () => {
  const a = Array.from({ length: 1000 }, (_, i) => -i);
  a.sort((x, y) => { a.length = 0; return x - y; });
};
