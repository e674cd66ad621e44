// Nobody handles an error that says nothing but by running for ever, and whose cause is itself.
// isolated: script
// in process: script
export default () => {
  const error = new Error("poisoned");
  error.cause = error;
  Object.defineProperty(error, "message", { get() { for (;;); } });
  Promise.reject(error);
};
