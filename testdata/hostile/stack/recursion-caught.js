// A recursion that catches its own end and goes on.
// isolated: depth | time
// in process: depth | time
export default () => {
  const f = () => { try { f(); } catch { f(); } };
  for (;;) f();
};
