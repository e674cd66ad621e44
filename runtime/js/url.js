// URL and URLSearchParams, as the URL standard has them.
const { Symbol, TypeError, defineProperty, push, slice, ownKeys, getOwnPropertyDescriptor,
  arraySort, arraySplice, apply } = primordials;

const tag = (Class, value) => defineProperty(Class.prototype, Symbol.toStringTag, { __proto__: null, value, configurable: true });

function invalid(input, base) {
  const error = new TypeError("Invalid URL");
  const set = (key, value) => defineProperty(error, key, { __proto__: null, value, writable: true, enumerable: true, configurable: true });
  set("code", "ERR_INVALID_URL");
  set("input", input);
  if (base !== undefined) set("base", base);
  return error;
}

function required(where, args, n) {
  if (args.length < n) throw new TypeError(`${where}: ${n === 1 ? "an argument is" : "two arguments are"} required`);
}

// The parts of a URL as the host lists them.
const HREF = 0, PROTOCOL = 1, USERNAME = 2, PASSWORD = 3, HOST = 4, HOSTNAME = 5, PORT = 6, PATHNAME = 7, SEARCH = 8, HASH = 9;

const special = { __proto__: null, "http:": true, "https:": true, "ws:": true, "wss:": true, "ftp:": true };

let bind;    // (params, url): changes of params go into the url
let refill;  // (params, search)
let query;   // (url, text): sets what follows the ?
let tellURL, tellParams;

function originOf(parts) {
  if (special[parts[PROTOCOL]]) return `${parts[PROTOCOL]}//${parts[HOST]}`;
  if (parts[PROTOCOL] === "blob:") {
    const inner = host.parse(parts[PATHNAME]);
    if (inner !== undefined && (inner[PROTOCOL] === "http:" || inner[PROTOCOL] === "https:")) return originOf(inner);
  }
  return "null";
}

class URL {
  #parts;
  #params; // made when it is asked for

  constructor(url, base = undefined) {
    required("new URL", arguments, 1);
    const input = `${url}`, from = base === undefined ? undefined : `${base}`;
    this.#parts = host.parse(input, from);
    if (this.#parts === undefined) throw invalid(input, from);
  }

  static canParse(url, base = undefined) {
    required("URL.canParse", arguments, 1);
    return host.parse(`${url}`, base === undefined ? undefined : `${base}`) !== undefined;
  }
  static parse(url, base = undefined) {
    required("URL.parse", arguments, 1);
    return URL.canParse(url, base) ? new URL(url, base) : null;
  }

  #set(part, value) {
    const parts = host.change(this.#parts[HREF], part, `${value}`);
    if (parts === undefined) throw new TypeError(`URL: with this ${part} it would be longer than 65,536 characters`);
    this.#parts = parts;
  }

  get href() { return this.#parts[HREF]; }
  set href(value) {
    const parts = host.parse(`${value}`);
    if (parts === undefined) throw invalid(`${value}`);
    this.#parts = parts;
    if (this.#params !== undefined) refill(this.#params, parts[SEARCH]);
  }
  get origin() { return originOf(this.#parts); }
  get protocol() { return this.#parts[PROTOCOL]; }
  set protocol(value) { this.#set("protocol", value); }
  get username() { return this.#parts[USERNAME]; }
  set username(value) { this.#set("username", value); }
  get password() { return this.#parts[PASSWORD]; }
  set password(value) { this.#set("password", value); }
  get host() { return this.#parts[HOST]; }
  set host(value) { this.#set("host", value); }
  get hostname() { return this.#parts[HOSTNAME]; }
  set hostname(value) { this.#set("hostname", value); }
  get port() { return this.#parts[PORT]; }
  set port(value) { this.#set("port", value); }
  get pathname() { return this.#parts[PATHNAME]; }
  set pathname(value) { this.#set("pathname", value); }
  get search() { return this.#parts[SEARCH]; }
  set search(value) {
    query(this, `${value}`);
    if (this.#params !== undefined) refill(this.#params, this.#parts[SEARCH]);
  }
  get hash() { return this.#parts[HASH]; }
  set hash(value) { this.#set("hash", value); }
  get searchParams() {
    if (this.#params === undefined) {
      this.#params = new URLSearchParams(this.#parts[SEARCH]);
      bind(this.#params, this);
    }
    return this.#params;
  }
  toString() { return this.#parts[HREF]; }
  toJSON() { return this.#parts[HREF]; }

  static {
    query = (url, text) => url.#set("search", text);
    tellURL = (url) => (#parts in url) ? [": ", "href", url.#parts[HREF], "origin", originOf(url.#parts), "protocol", url.#parts[PROTOCOL],
      "username", url.#parts[USERNAME], "password", url.#parts[PASSWORD], "host", url.#parts[HOST], "hostname", url.#parts[HOSTNAME],
      "port", url.#parts[PORT], "pathname", url.#parts[PATHNAME], "search", url.#parts[SEARCH],
      "searchParams", url.#params ?? new URLSearchParams(url.#parts[SEARCH]), "hash", url.#parts[HASH]] : undefined;
    const names = ["href", "origin", "protocol", "username", "password", "host", "hostname", "port", "pathname", "search",
      "searchParams", "hash", "toString", "toJSON"];
    for (let i = 0; i < names.length; i++) enumerable(this.prototype, names[i]);
  }
}
tag(URL, "URL");

// Members of interfaces are enumerable, other than those of classes.
function enumerable(object, name) {
  defineProperty(object, name, { __proto__: null, enumerable: true });
}

class URLSearchParams {
  #list = []; // names and values in turns
  #url = null;

  constructor(init = undefined) {
    if (init === undefined || init === null) return;
    if (typeof init !== "object" && typeof init !== "function") {
      this.#parse(`${init}`);
      return;
    }
    const iterator = init[Symbol.iterator];
    if (iterator === undefined || iterator === null) {
      const keys = ownKeys(init);
      for (let i = 0; i < keys.length; i++) {
        const d = getOwnPropertyDescriptor(init, keys[i]);
        if (d !== undefined && d.enumerable) this.#put(`${keys[i]}`, `${init[keys[i]]}`);
      }
      return;
    }
    if (typeof iterator !== "function") throw new TypeError("Query pairs must be iterable");
    for (const pair of init) {
      if (pair === null || typeof pair !== "object" && typeof pair !== "function" || typeof pair[Symbol.iterator] !== "function") {
        throw new TypeError("Each query pair must be an iterable [name, value] tuple");
      }
      const both = [];
      for (const text of pair) push(both, `${text}`);
      if (both.length !== 2) throw new TypeError("Each query pair must be an iterable [name, value] tuple");
      push(this.#list, both[0], both[1]);
    }
  }

  #parse(text) {
    this.#list = host.parseQuery(slice(text, 0, 1) === "?" ? slice(text, 1) : text);
  }
  // Of a record, a key that is there twice (once as half of a pair) counts once.
  #put(name, value) {
    const i = this.#find(name, 0);
    if (i < 0) push(this.#list, name, value);
    else this.#list[i + 1] = value;
  }
  #find(name, from, value = undefined) {
    for (let i = from; i < this.#list.length; i += 2) {
      if (this.#list[i] === name && (value === undefined || this.#list[i + 1] === value)) return i;
    }
    return -1;
  }
  #changed() {
    if (this.#url !== null) query(this.#url, host.formatQuery(this.#list));
  }

  get size() { return this.#list.length / 2; }
  append(name, value) {
    required("URLSearchParams.append", arguments, 2);
    push(this.#list, `${name}`, `${value}`);
    this.#changed();
  }
  delete(name, value = undefined) {
    required("URLSearchParams.delete", arguments, 1);
    const key = `${name}`, only = value === undefined ? undefined : `${value}`;
    for (let i = this.#find(key, 0, only); i >= 0; i = this.#find(key, i, only)) arraySplice(this.#list, i, 2);
    this.#changed();
  }
  get(name) {
    required("URLSearchParams.get", arguments, 1);
    const i = this.#find(`${name}`, 0);
    return i < 0 ? null : this.#list[i + 1];
  }
  getAll(name) {
    required("URLSearchParams.getAll", arguments, 1);
    const key = `${name}`, values = [];
    for (let i = this.#find(key, 0); i >= 0; i = this.#find(key, i + 2)) push(values, this.#list[i + 1]);
    return values;
  }
  has(name, value = undefined) {
    required("URLSearchParams.has", arguments, 1);
    return this.#find(`${name}`, 0, value === undefined ? undefined : `${value}`) >= 0;
  }
  set(name, value) {
    required("URLSearchParams.set", arguments, 2);
    const key = `${name}`, first = this.#find(key, 0);
    if (first < 0) {
      push(this.#list, key, `${value}`);
    } else {
      this.#list[first + 1] = `${value}`;
      for (let i = this.#find(key, first + 2); i >= 0; i = this.#find(key, i)) arraySplice(this.#list, i, 2);
    }
    this.#changed();
  }
  sort() {
    const pairs = [];
    for (let i = 0; i < this.#list.length; i += 2) push(pairs, { __proto__: null, name: this.#list[i], value: this.#list[i + 1] });
    arraySort(pairs, (a, b) => a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
    for (let i = 0; i < pairs.length; i++) {
      this.#list[2 * i] = pairs[i].name;
      this.#list[2 * i + 1] = pairs[i].value;
    }
    this.#changed();
  }
  forEach(callback, self = undefined) {
    if (typeof callback !== "function") throw new TypeError("URLSearchParams.forEach: the callback must be a function");
    for (let i = 0; i < this.#list.length; i += 2) apply(callback, self, [this.#list[i + 1], this.#list[i], this]);
  }
  *entries() { for (let i = 0; i < this.#list.length; i += 2) yield [this.#list[i], this.#list[i + 1]]; }
  *keys() { for (let i = 0; i < this.#list.length; i += 2) yield this.#list[i]; }
  *values() { for (let i = 0; i < this.#list.length; i += 2) yield this.#list[i + 1]; }
  toString() { return host.formatQuery(this.#list); }

  static {
    tellParams = (params) => {
      if (!(#list in params)) return undefined;
      const list = [" => "];
      for (let i = 0; i < params.#list.length; i++) push(list, params.#list[i]);
      return list;
    };
    bind = (params, url) => { params.#url = url; };
    refill = (params, search) => params.#parse(search);
    const names = ["size", "append", "delete", "get", "getAll", "has", "set", "sort", "forEach", "entries", "keys", "values", "toString"];
    for (let i = 0; i < names.length; i++) enumerable(this.prototype, names[i]);
    defineProperty(this.prototype, Symbol.iterator, { __proto__: null, value: this.prototype.entries, writable: true, configurable: true });
  }
}
tag(URLSearchParams, "URLSearchParams");

// What console.log shows of them.
function tell(value) {
  return tellURL(value) ?? tellParams(value);
}

return { URL, URLSearchParams, tell };
