// node record.mjs *.txt: writes below each snippet of the files what Node makes of it.
// node --input-type=module < generators.js > generators.out does the same for a whole program.
import { readFileSync, writeFileSync } from "node:fs";

const show = (0, eval)(readFileSync(new URL("show.js", import.meta.url), "utf8"));
process.on("uncaughtException", () => {}); // what listeners throw
for (const file of process.argv.slice(2)) {
  const lines = [];
  for (const line of readFileSync(file, "utf8").split("\n")) {
    if (line.startsWith("> ")) lines.push(line, await show(line.slice(2)));
    else if (line === "" || line.startsWith("#")) lines.push(line);
  }
  writeFileSync(file, lines.join("\n"));
}
