// A global expression whose lastIndex never advances.
// isolated: time
// in process: time
export default () => {
  const r = /a?/g;
  Object.defineProperty(r, "lastIndex", { value: 0, writable: false });
  for (;;) { try { r.exec("b"); } catch {} }
};
