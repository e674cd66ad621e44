// Symbol.toStringTag of everything throws.
// isolated: ok
// in process: ok
export default (self) => {
  Object.defineProperty(Object.prototype, Symbol.toStringTag, { get() { throw new Error("polluted"); } });
  self.x = { a: 1 };
  console.log({}, new Map([[1, {}]]), new (class A {})());
};
