// The same without a back-reference is linear.
// isolated: ok
// in process: ok
export default () => {
  if (/(a+)+b/.test("a".repeat(1000))) throw new Error("it does not match");
};
