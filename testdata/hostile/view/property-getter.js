// A getter in the place of a declared property.
// isolated: script TypeError
// in process: script TypeError
export default (self) => {
  Object.defineProperty(self, "x", { get() { for (;;); } });
};
