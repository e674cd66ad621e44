// Functions of the host are functions: no fields or methods of Go values show through.
// isolated: ok
// in process: ok
import { Resource, GC } from "sexton";
import * as fs from "sexton/fs";
import * as proc from "sexton/process";
export default (self) => {
  const seen = new Set();
  const walk = (o, way) => {
    if (o === null || typeof o !== "object" && typeof o !== "function" || seen.has(o) || o === globalThis || seen.size > 20000) return;
    seen.add(o);
    for (const key of Reflect.ownKeys(o)) {
      if (typeof key === "string" && /^[A-Z][a-z]+[A-Za-z]*$/.test(key) && typeof o === "object" && !(key in globalThis) && way !== "") {
        if (["Resource", "Environment", "GC", "ObjectDestroyedError", "PermissionDenied"].includes(key)) continue;
        throw new Error("a Go name at " + way + "." + key);
      }
      const d = Object.getOwnPropertyDescriptor(o, key);
      walk(d.value, way + "." + String(key)); walk(d.get, way + ".get " + String(key)); walk(d.set, way + ".set " + String(key));
    }
    walk(Object.getPrototypeOf(o), way + ".__proto__");
  };
  for (const o of [console, GC, Resource, self, fs, proc, setTimeout, setTimeout(() => {}, 1e9), structuredClone, queueMicrotask]) walk(o, "host");
};
