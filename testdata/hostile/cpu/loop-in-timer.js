// An endless loop in a timer.
// isolated: time
// in process: time
export default () => new Promise(() => setTimeout(() => { for (;;); }, 1));
