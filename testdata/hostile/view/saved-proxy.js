// A proxy whose traps run for ever, as a saved value.
// isolated: error cannot be saved
// in process: error cannot be saved
const forever = () => { for (;;); };
export default (self) => {
  self.x = new Proxy({}, { get: forever, ownKeys: forever, getOwnPropertyDescriptor: forever, getPrototypeOf: forever, has: forever });
};
