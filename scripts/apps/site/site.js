// A web site as three classes. Each knows how to make its resource in deploy() and how to remove it in
// destroy(). Both can run again after an interruption, so both accept what is done already. In which
// order things go away is not written here: it follows from who owns whom and who depends on whom.
import { GC, Resource } from "sexton";
import { mkdir, readFile, rm, writeFile } from "sexton/fs";
import { alive, exec, kill, spawn } from "sexton/process";

// A directory. It owns the files that its model lists in place, so they go before it does.
export class Directory extends Resource {
  static properties = {
    path: { type: "string", usage: "const" }, // another path is another directory: give it a new id
    files: { type: ["File"], default: [] },
  };

  async deploy() {
    await mkdir(this.path, { recursive: true });
    for (const file of this.files) await file.deploy();
  }

  async destroy() {
    await rm(this.path, { recursive: true, force: true });
  }
}

// A file in the directory that owns it.
export class File extends Resource {
  static properties = {
    name: { type: "string", usage: "const" },
    content: "string",
  };

  get path() { return `${this.$owner.path}/${this.name}`; }

  async deploy() {
    const present = await readFile(this.path, "utf8").catch(() => undefined);
    if (present !== this.content) await writeFile(this.path, this.content);
  }

  async destroy() {
    await rm(this.path, { force: true });
  }
}

// A server that shows a directory at http://localhost:<port>. It runs on when sexton has ended.
export class Server extends Resource {
  static properties = {
    directory: "Directory", // a reference: it keeps the directory alive, but says nothing about order
    port: "integer",
    process: { type: { shape: { pid: "integer", startTime: "string" } }, usage: "out", optional: true },
    serves: { type: "string", usage: "out", optional: true }, // what the process was started with
  };

  constructor(properties, owner) {
    super(properties, owner);
    // Whoever subscribes to the destruction of an object goes after it. So the directory and its files
    // subscribe to that of their server. (A third argument would name a method of theirs, which is called
    // before the server is destroyed.)
    for (const shown of [this.directory, ...this.directory.files]) GC.subscribeDestruction(this, shown);
  }

  async deploy() {
    const options = ["-dir", this.directory.path, "-port", `${this.port}`];
    if (this.serves === options.join(" ") && (await alive(this.process))) return;
    await this.stop(); // it serves another directory or port, or it died

    await exec("go", ["build", "-o", "build/", "httpd/httpd.go"]);
    this.process = await spawn("build/httpd", options, { detached: true, stderr: "build/httpd.log" });
    await exec("build/httpd", ["-probe", `${this.process.pid}`, ...options]); // returns when it answers
    this.serves = options.join(" ");
  }

  async destroy() {
    await this.stop();
    await rm("build", { recursive: true, force: true });
  }

  async stop() {
    if (this.process) await kill(this.process); // gone already is fine; another process is never hit
    this.process = this.serves = undefined;
  }
}
