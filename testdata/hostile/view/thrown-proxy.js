// A thrown proxy.
// isolated: script
// in process: script
export default () => {
  throw new Proxy(new Error("x"), { get() { for (;;); }, getPrototypeOf() { for (;;); }, getOwnPropertyDescriptor() { for (;;); } });
};
