// An Error whose cause is a getter that makes another such error.
// isolated: script
// in process: script
export default () => {
  const bad = () => Object.defineProperty(new Error("endless"), "cause", { get: bad });
  throw bad();
};
