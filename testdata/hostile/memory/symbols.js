// Registered symbols are never let go.
// isolated: limit memory | died | time
// in process: limit memory | time
export default () => {
  for (let i = 0; ; i++) Symbol.for("x".repeat(1000) + i);
};
