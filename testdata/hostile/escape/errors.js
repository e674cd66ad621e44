// Errors of the host are errors of the script, without anything behind them.
// isolated: ok
// in process: ok
import { GC } from "sexton";
import { readFile } from "sexton/fs";
export default async () => {
  const errors = [];
  for (const f of [() => GC.token(1), () => GC.subscribeDestruction(), () => readFile("/etc/passwd"), () => readFile({}), () => structuredClone(() => {}), () => setTimeout()]) {
    try { await f(); } catch (error) { errors.push(error); }
  }
  if (errors.length < 5) throw new Error("there were " + errors.length);
  for (const e of errors) {
    if (!(e instanceof Error)) throw new Error("no Error: " + String(e));
    for (let o = e; o; o = Object.getPrototypeOf(o)) for (const key of Reflect.ownKeys(o)) {
      if (typeof key === "string" && /^[A-Z]/.test(key) && !(e instanceof DOMException && o !== e)) throw new Error("a Go field: " + key);
      const v = e[key];
      if (typeof v === "string" && /\.go:|goroutine|0x[0-9a-f]{8}/.test(v)) throw new Error("a trace of Go: " + v);
    }
  }
};
