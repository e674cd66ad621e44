// Errors whose names and messages are getters that run for ever.
// isolated: time | script
// in process: time | script
export default () => {
  for (const C of [Error, TypeError, RangeError]) for (const name of ["name", "message", "stack", "toString", "cause"]) {
    try { Object.defineProperty(C.prototype, name, { get() { for (;;); } }); } catch {}
  }
  null.x;
};
