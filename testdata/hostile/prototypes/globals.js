// The globals that anything could rely on are gone.
// isolated: ok
// in process: ok
export default (self) => {
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    try { delete globalThis[name]; } catch {}
    try { globalThis[name] = undefined; } catch {}
  }
  self.x = { a: 1 };
};
