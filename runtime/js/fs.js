// "sexton/fs": files, as "fs/promises" of Node has them.
const { perform, check, buffer, PermissionDenied } = host;
const { Date } = primordials;

class Stats {
  #type;
  constructor({ type, size, mtimeMs }) {
    this.#type = type;
    this.size = size;
    this.mtimeMs = mtimeMs;
  }
  get mtime() { return new Date(this.mtimeMs); }
  isFile() { return this.#type === "file"; }
  isDirectory() { return this.#type === "directory"; }
}

class Dirent {
  #type;
  constructor({ name, type }) {
    this.name = name;
    this.#type = type;
  }
  isFile() { return this.#type === "file"; }
  isDirectory() { return this.#type === "directory"; }
  isSymbolicLink() { return this.#type === "symlink"; }
}

// A string in place of options is the encoding.
function options(where, value, known) {
  return check.options(where, typeof value === "string" ? { encoding: value } : value, known);
}

function encoding(where, value) {
  if (value !== undefined && value !== null && value !== "utf8" && value !== "utf-8") check.fail(`${where}: encoding`, '"utf8"', value);
  return value !== undefined && value !== null;
}

async function write(where, path, data, o, append) {
  const bytes = check.isBytes(data);
  const request = { __proto__: null, path: check.string(`${where}: path`, path), data, append };
  if (!bytes && typeof data !== "string") check.fail(`${where}: data`, "a string or a Uint8Array", data);
  encoding(where, o.encoding);
  if (bytes) request.encoding = "base64";
  switch (o.flag) {
    case undefined: break;
    case "w": request.append = false; break;
    case "a": request.append = true; break;
    case "wx": request.append = false; request.exclusive = true; break;
    default: check.fail(`${where}: flag`, '"w", "a" or "wx"', o.flag);
  }
  await perform("fs.writeFile", request, check.of(`${where}: of`, o.of));
}

return {
  PermissionDenied,

  // A string if there is an encoding, else a Uint8Array.
  async readFile(path, opts = undefined) {
    const o = options("readFile", opts, ["encoding", "of"]);
    const text = encoding("readFile", o.encoding);
    const request = { __proto__: null, path: check.string("readFile: path", path), encoding: text ? "utf8" : "base64" };
    const data = await perform("fs.readFile", request, check.of("readFile: of", o.of));
    return text ? data : buffer(data);
  },

  async writeFile(path, data, opts = undefined) {
    return write("writeFile", path, data, options("writeFile", opts, ["encoding", "flag", "of"]), false);
  },

  async appendFile(path, data, opts = undefined) {
    return write("appendFile", path, data, options("appendFile", opts, ["encoding", "of"]), true);
  },

  async mkdir(path, opts = undefined) {
    const o = check.options("mkdir", opts, ["recursive", "of"]);
    const request = { __proto__: null, path: check.string("mkdir: path", path), recursive: check.boolean("mkdir: recursive", o.recursive) };
    await perform("fs.mkdir", request, check.of("mkdir: of", o.of));
  },

  async rm(path, opts = undefined) {
    const o = check.options("rm", opts, ["recursive", "force", "of"]);
    const request = {
      __proto__: null, path: check.string("rm: path", path),
      recursive: check.boolean("rm: recursive", o.recursive), force: check.boolean("rm: force", o.force),
    };
    await perform("fs.rm", request, check.of("rm: of", o.of));
  },

  async stat(path) {
    return new Stats(await perform("fs.stat", { __proto__: null, path: check.string("stat: path", path) }));
  },

  // Names, sorted; with { withFileTypes: true } objects that know what they are.
  async readdir(path, opts = undefined) {
    const o = check.options("readdir", opts, ["withFileTypes", "of"]);
    const types = check.boolean("readdir: withFileTypes", o.withFileTypes);
    const list = await perform("fs.readdir", { __proto__: null, path: check.string("readdir: path", path) }, check.of("readdir: of", o.of));
    for (let i = 0; i < list.length; i++) list[i] = types ? new Dirent(list[i]) : list[i].name;
    return list;
  },

  async rename(from, to, opts = undefined) {
    const o = check.options("rename", opts, ["of"]);
    const request = { __proto__: null, from: check.string("rename: from", from), to: check.string("rename: to", to) };
    await perform("fs.rename", request, check.of("rename: of", o.of));
  },
};
