// A then that is a getter that runs for ever.
// isolated: time
// in process: time
export default () => ({ get then() { for (;;); } });
