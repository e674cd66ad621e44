// A proxy in its own prototype chain: a lookup without any call, for ever deeper.
// isolated: script TypeError
// in process: script TypeError
export default () => {
  const a = Object.create(null);
  Object.setPrototypeOf(a, new Proxy(a, {}));
  return a.zzz;
};
