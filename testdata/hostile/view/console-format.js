// A format of the console whose argument runs for ever.
// isolated: ok
// in process: ok
export default () => console.log("%s %d %o %j", { toString() { for (;;); } }, { valueOf() { for (;;); } }, 1, 2);
