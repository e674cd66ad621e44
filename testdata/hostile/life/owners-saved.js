// A chain of a thousand owners, saved and loaded again.
// isolated: ok
// in process: ok
export default (self) => {
  if (self.items.length) return;
  let o = self;
  for (let i = 0; i < 1000; i++) { const next = new self.constructor({}, o); o.items.push(next); o = next; }
};
