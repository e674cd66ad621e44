// An array that is a proxy with 2^31 elements.
// isolated: error cannot be saved
// in process: error cannot be saved
export default (self) => {
  self.x = new Proxy([], { get: (_, key) => key === "length" ? 2 ** 31 : 0 });
};
