// A flood of text.
// isolated: limit output
// in process: limit output
export default () => {
  for (;;) console.log("x".repeat(1000));
};
