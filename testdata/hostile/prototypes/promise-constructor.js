// A promise whose constructor is a getter that runs for ever.
// isolated: time
// in process: time
export default () => {
  const p = Promise.resolve();
  Object.defineProperty(p, "constructor", { get() { for (;;); } });
  return p;
};
