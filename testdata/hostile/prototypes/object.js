// A setter on Object.prototype for the names that the host uses.
// isolated: script
// in process: script
export default (self) => {
  for (const name of ["then", "id", "type", "owner", "usage", "default", "optional", "result", "error", "value", "destroyed"]) {
    try {
      Object.defineProperty(Object.prototype, name, { configurable: true, get() { throw new Error("polluted " + name); }, set() {} });
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
    }
  }
  self.x = { plain: 1 };
};
