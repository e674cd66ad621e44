import { Resource } from "sexton";
import { mkdir, rm, writeFile } from "sexton/fs";

// What sites are made with. Tests put something else in its place.
export const disk = { mkdir, rm, writeFile };

// A site: a directory with an index.html in it.
export class Site extends Resource.with({
  path: { type: "string", usage: "const" }, // another path is another site: give it a new id
  index: "string",
}) {
  // Makes the site what the model says. Every deployment calls it, so it accepts what is there already.
  async deploy() {
    await disk.mkdir(this.path, { recursive: true });
    await disk.writeFile(`${this.path}/index.html`, this.index);
  }

  // Called once, when the model has dropped the site and nothing refers to it any more. After an
  // interruption it is called again, so it accepts what is gone already.
  async destroy() {
    await disk.rm(this.path, { recursive: true, force: true });
  }
}
