// A class that changes its parents after it was registered.
// isolated: error expected app/Item
// in process: error expected app/Item
export default (self) => {
  Object.setPrototypeOf(self.constructor, class { constructor() { return {}; } });
  try { self.items.push(new self.constructor({}, self)); } catch {}
  self.constructor.properties = new Proxy({}, { get() { for (;;); } });
  try { self.items.push(new self.constructor({}, self)); } catch {}
};
