// All that an error says of itself runs for ever.
// isolated: script
// in process: script
export default () => {
  const poison = { get() { for (;;); }, configurable: true };
  const error = new TypeError("poisoned");
  for (const key of ["stack", "cause", "toString", Symbol.toPrimitive, "message", "name"]) Object.defineProperty(error, key, poison);
  throw error;
};
