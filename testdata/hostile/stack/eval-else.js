// A chain of a million else-ifs.
// isolated: time | limit | ok | died
// in process: never
export default () => (0, eval)("if(0);else ".repeat(3e5) + ";");
