// The list of what an object owns is a proxy.
// isolated: error expected [
// in process: error expected [
export default (self) => {
  self.items = new Proxy([], { get() { for (;;); } });
};
