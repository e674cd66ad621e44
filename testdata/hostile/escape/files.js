// Nothing is permitted that nobody has granted.
// isolated: ok
// in process: ok
import * as fs from "sexton/fs";
import * as proc from "sexton/process";
export default async () => {
  const attempts = [
    () => fs.readFile("/etc/passwd"), () => fs.readFile("../../../../etc/passwd"), () => fs.readFile("package.json"), () => fs.readdir("."), () => fs.stat("/"),
    () => fs.writeFile("x", "x"), () => fs.appendFile("index.js", "x"), () => fs.rm(".sexton", { recursive: true, force: true }), () => fs.rename("index.js", "x"), () => fs.mkdir("d"),
    () => proc.exec("true"), () => proc.exec("/bin/sh", ["-c", "true"]), () => proc.spawn("sleep", ["1"]), () => proc.kill({ pid: 1, startTime: 0 }), () => proc.env("HOME"), () => proc.env("PATH"),
  ];
  for (const attempt of attempts) {
    let done = true;
    try { done = (await attempt()) !== undefined; } catch { done = false; }
    if (done) throw new Error("it was permitted: " + attempt);
  }
};
