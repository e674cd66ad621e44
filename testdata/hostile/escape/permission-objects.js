// Arguments that say one thing to the check and another to who acts.
// isolated: ok
// in process: ok
import * as fs from "sexton/fs";
import { exec } from "sexton/process";
export default async () => {
  let n = 0;
  const path = { toString: () => n++ ? "/etc/passwd" : "data" };
  for (const f of [() => fs.readFile(path), () => fs.readFile(new Proxy([], {})), () => exec(path), () => exec({ toString: () => "true", length: 4 }), () => fs.readFile(new String("/etc/passwd"))]) {
    let done = true;
    try { await f(); } catch { done = false; }
    if (done) throw new Error("it was permitted: " + f);
  }
};
