// A key __proto__ in plain data stays a key, or is refused.
// isolated: ok
// in process: ok
export default (self) => {
  self.x = JSON.parse('{ "__proto__": { "polluted": true }, "constructor": { "prototype": { "polluted": true } } }');
  if ({}.polluted) throw new Error("polluted");
};
