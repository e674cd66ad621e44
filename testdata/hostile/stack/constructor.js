// A class that makes one of itself.
// isolated: depth
// in process: depth
export default () => {
  class A { constructor() { new A(); } }
  return new A();
};
