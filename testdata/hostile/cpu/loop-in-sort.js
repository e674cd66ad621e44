// A comparison that never ends.
// isolated: time
// in process: time
export default () => [2, 1].sort(() => { for (;;); });
