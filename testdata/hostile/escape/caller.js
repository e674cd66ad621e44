// Stacks of calls show no values: no caller, no arguments.
// isolated: ok
// in process: ok
export default function attack() {
  const get = (f) => { try { return f(); } catch { return undefined; } };
  if (get(() => attack.caller) || get(() => attack.arguments) || get(() => (function () { return arguments.callee; })())) throw new Error("a caller shows");
}
