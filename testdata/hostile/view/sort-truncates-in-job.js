// The same in a promise job, which nobody called.
// isolated: ok
// in process: ok
export default () => Promise.resolve().then(() => {
  const a = Array.from({ length: 1000 }, (_, i) => -i);
  a.sort((x, y) => { a.length = 0; return x - y; });
});
