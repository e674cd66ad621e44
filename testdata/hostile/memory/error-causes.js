// An error with a hundred thousand causes.
// isolated: script Error
// in process: script Error
export default () => {
  let e = new Error("first");
  for (let i = 0; i < 1e5; i++) e = new Error("caused", { cause: e });
  throw e;
};
