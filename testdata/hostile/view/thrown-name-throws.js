// An Error whose name is a getter that throws an Error of its kind.
// isolated: script
// in process: script
export default () => {
  class Bad extends Error { get name() { throw new Bad(); } get message() { throw new Bad(); } }
  throw new Bad();
};
