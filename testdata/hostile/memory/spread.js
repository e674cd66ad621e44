// An endless iterator, spread.
// isolated: limit memory | died | time
// in process: limit memory | time
export default () => [...(function* () { for (;;) yield {}; })()];
