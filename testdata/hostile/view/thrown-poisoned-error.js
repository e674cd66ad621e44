// What an error inherits runs for ever.
// isolated: script TypeError
// in process: script TypeError
export default () => {
  const poison = { get() { for (;;); }, configurable: true };
  Error.prototype.toString = () => { for (;;); };
  Error.prototype[Symbol.toPrimitive] = () => { for (;;); };
  for (const key of ["stack", "cause", "code"]) Object.defineProperty(Error.prototype, key, poison);
  throw new TypeError("poisoned");
};
