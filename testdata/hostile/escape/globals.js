// Nothing of the host is a global, by any way to the global object.
// isolated: ok
// in process: ok
export default () => {
  const ways = [() => globalThis, () => (0, eval)("this"), () => new Function("return this")(), () => (function () {}).constructor("return this")(),
    () => console.log.constructor("return this")(), () => setTimeout.constructor("return globalThis")()];
  for (const way of ways) {
    const g = way();
    for (const name of ["process", "require", "module", "Deno", "Bun", "XMLHttpRequest", "WebAssembly", "__filename", "Go", "os", "load", "read"]) {
      if (g[name] !== undefined) throw new Error("there is a global " + name);
    }
  }
};
