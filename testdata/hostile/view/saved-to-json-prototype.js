// A toJSON of all objects is not asked either.
// isolated: ok
// in process: ok
export default (self) => {
  Object.defineProperty(Object.prototype, "toJSON", { value() { for (;;); } });
  self.x = { a: [1, new Date(0)] };
};
