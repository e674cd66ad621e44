// A forged limit error is an ordinary error.
// isolated: script TimeLimitError
// in process: script TimeLimitError
export default () => {
  const e = new Error("not finished after 1s");
  e.name = "TimeLimitError";
  throw e;
};
