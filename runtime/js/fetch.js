// fetch, with Headers, Request and Response, as the standard of fetch has them. Bodies are whole: there are no streams.
const { Error, TypeError, RangeError, Symbol, create, defineProperty, push, ownKeys, getOwnPropertyDescriptor, apply, slice, indexOf,
  charCodeAt, toLowerCase, toUpperCase, join, arraySort, arrayBufferSlice, typedArrayBuffer, typedArrayByteOffset, typedArrayByteLength,
  Uint8Array, parse, stringify } = primordials;
const { perform, check } = host;
const { URL, URLSearchParams } = host.use("url");
const { AbortSignal, isSignal } = host.use("events");
const { bytesOf, encodeUTF8, decodeUTF8, textOf } = host.use("encoding");

const MOST_BODY = 16 << 20; // bytes: as many as an answer may have

const tag = (Class, value) => defineProperty(Class.prototype, Symbol.toStringTag, { __proto__: null, value, configurable: true });

// What a dictionary of options says; undefined and null have none.
function dictionary(where, value) {
  if (value === undefined || value === null) return create(null);
  if (typeof value !== "object" && typeof value !== "function") check.fail(`${where}: options`, "an object", value);
  return value;
}

// ---- Headers

const isLetter = (c) => c >= 0x61 && c <= 0x7a || c >= 0x41 && c <= 0x5a;

// Whether text is a token of HTTP: the name of a header, or of a method.
function isToken(text) {
  for (let i = 0; i < text.length; i++) {
    const c = charCodeAt(text, i);
    if (!isLetter(c) && !(c >= 0x30 && c <= 0x39) && indexOf("!#$%&'*+-.^_`|~", slice(text, i, i + 1)) < 0) return false;
  }
  return text !== "";
}

function nameOf(where, value) {
  const name = `${value}`;
  if (!isToken(name)) throw new TypeError(`${where}: ${check.what(name)} is no name of a header`);
  return toLowerCase(name);
}

const isSpace = (c) => c === 0x20 || c === 0x09 || c === 0x0a || c === 0x0d;

function valueOf(where, value) {
  const text = `${value}`;
  let from = 0, to = text.length;
  while (from < to && isSpace(charCodeAt(text, from))) from++;
  while (to > from && isSpace(charCodeAt(text, to - 1))) to--;
  for (let i = from; i < to; i++) {
    const c = charCodeAt(text, i);
    if (c === 0 || c === 0x0a || c === 0x0d || c > 0xff) throw new TypeError(`${where}: the value has a character that no header can have`);
  }
  return slice(text, from, to);
}

let seal;    // (headers): they cannot be changed any more
let listOf;  // (headers): [[name, value]], each value by itself
let tellHeaders, tellRequest, tellResponse;

class Headers {
  #values = create(null); // by name: lists
  #sealed = false;

  constructor(init = undefined) {
    if (init === undefined) return;
    if (typeof init !== "object" && typeof init !== "function" || init === null) check.fail("new Headers: argument", "an object or pairs", init);
    const iterator = init[Symbol.iterator];
    if (iterator === undefined || iterator === null) {
      const keys = ownKeys(init);
      for (let i = 0; i < keys.length; i++) {
        const d = getOwnPropertyDescriptor(init, keys[i]);
        if (d !== undefined && d.enumerable) this.append(keys[i], init[keys[i]]);
      }
      return;
    }
    for (const pair of init) {
      const both = [];
      if (typeof pair !== "object" || pair === null) check.fail("new Headers: each element", "a pair [name, value]", pair);
      for (const text of pair) push(both, text);
      if (both.length !== 2) throw new TypeError(`new Headers: each element must be a pair [name, value], got ${both.length} elements`);
      this.append(both[0], both[1]);
    }
  }

  #change(where) {
    if (this.#sealed) throw new TypeError(`${where}: these headers cannot be changed`);
  }
  append(name, value) {
    const key = nameOf("Headers.append", name), text = valueOf("Headers.append", value);
    this.#change("Headers.append");
    push(this.#values[key] ??= [], text);
  }
  delete(name) {
    const key = nameOf("Headers.delete", name);
    this.#change("Headers.delete");
    delete this.#values[key];
  }
  get(name) {
    const list = this.#values[nameOf("Headers.get", name)];
    return list === undefined ? null : join(list, ", ");
  }
  has(name) { return this.#values[nameOf("Headers.has", name)] !== undefined; }
  set(name, value) {
    const key = nameOf("Headers.set", name), text = valueOf("Headers.set", value);
    this.#change("Headers.set");
    this.#values[key] = [text];
  }
  getSetCookie() {
    const list = [], cookies = this.#values["set-cookie"] ?? [];
    for (let i = 0; i < cookies.length; i++) push(list, cookies[i]);
    return list;
  }
  #sorted() {
    const names = arraySort(ownKeys(this.#values)), pairs = [];
    for (let i = 0; i < names.length; i++) {
      const list = this.#values[names[i]];
      if (names[i] !== "set-cookie") push(pairs, [names[i], join(list, ", ")]);
      else for (let k = 0; k < list.length; k++) push(pairs, [names[i], list[k]]);
    }
    return pairs;
  }
  forEach(callback, self = undefined) {
    if (typeof callback !== "function") check.fail("Headers.forEach: callback", "a function", callback);
    const pairs = this.#sorted();
    for (let i = 0; i < pairs.length; i++) apply(callback, self, [pairs[i][1], pairs[i][0], this]);
  }
  *entries() {
    const pairs = this.#sorted();
    for (let i = 0; i < pairs.length; i++) yield pairs[i];
  }
  *keys() {
    const pairs = this.#sorted();
    for (let i = 0; i < pairs.length; i++) yield pairs[i][0];
  }
  *values() {
    const pairs = this.#sorted();
    for (let i = 0; i < pairs.length; i++) yield pairs[i][1];
  }

  static {
    tellHeaders = (headers) => {
      if (!(#values in headers)) return undefined;
      const list = [": "], pairs = headers.#sorted();
      for (let i = 0; i < pairs.length; i++) push(list, pairs[i][0], pairs[i][1]);
      return list;
    };
    seal = (headers) => { headers.#sealed = true; };
    listOf = (headers) => {
      const pairs = [], names = ownKeys(headers.#values);
      for (let i = 0; i < names.length; i++) {
        const list = headers.#values[names[i]];
        for (let k = 0; k < list.length; k++) push(pairs, [names[i], list[k]]);
      }
      return pairs;
    };
    defineProperty(this.prototype, Symbol.iterator, { __proto__: null, value: this.prototype.entries, writable: true, configurable: true });
  }
}
tag(Headers, "Headers");

// ---- Bodies

// The content of a body, a string or bytes of our own, and the type that goes with it; null if there is none.
function extract(value) {
  if (value === undefined || value === null) return { __proto__: null, content: null, type: null };
  if (typeof value === "object") {
    if (value instanceof URLSearchParams) {
      return { __proto__: null, content: value.toString(), type: "application/x-www-form-urlencoded;charset=UTF-8" };
    }
    const bytes = bytesOf(value);
    if (bytes !== undefined) return { __proto__: null, content: copyOf(bytes), type: null };
  }
  return { __proto__: null, content: `${value}`, type: "text/plain;charset=UTF-8" };
}

function copyOf(bytes) {
  const from = typedArrayByteOffset(bytes);
  return new Uint8Array(arrayBufferSlice(typedArrayBuffer(bytes), from, from + typedArrayByteLength(bytes)));
}

let contentOf; // (body): what it is, without reading it
let usedOf;

class Body {
  #content;
  #used = false;
  constructor(content) { this.#content = content; }

  // The bytes, which are read once.
  #read() {
    if (this.#used) throw new TypeError("Body is unusable: it was read before");
    this.#used = this.#content !== null;
    const content = this.#content;
    if (content === null) return new Uint8Array(0);
    return typeof content === "string" ? encodeUTF8(content) : copyOf(content);
  }
  get bodyUsed() { return this.#used; }
  async text() { return decodeUTF8(this.#read()); }
  async json() { return parse(decodeUTF8(this.#read())); }
  async bytes() { return this.#read(); }
  async arrayBuffer() { return typedArrayBuffer(this.#read()); }

  static {
    usedOf = (body) => body.#used;
    contentOf = (body, take) => {
      if (body.#used) throw new TypeError("Body is unusable: it was read before");
      if (take) body.#used = body.#content !== null;
      return body.#content;
    };
  }
}

// ---- Request

const forbiddenMethods = { __proto__: null, CONNECT: true, TRACE: true, TRACK: true };
const knownMethods = { __proto__: null, DELETE: true, GET: true, HEAD: true, OPTIONS: true, POST: true, PUT: true };

function methodOf(value) {
  const method = `${value}`, upper = toUpperCase(method);
  if (!isToken(method) || forbiddenMethods[upper]) throw new TypeError(`new Request: ${check.what(method)} is no method that can be used`);
  return knownMethods[upper] ? upper : method;
}

class Request extends Body {
  #url;
  #method;
  #headers;
  #redirect;
  #signal;

  constructor(input, init = undefined) {
    const o = dictionary("new Request", init);
    const from = typeof input === "object" && input !== null ? (#url in input) ? input : null : null;
    const url = from === null ? urlOf(input) : from.#url;
    const method = o.method !== undefined ? methodOf(o.method) : from !== null ? from.#method : "GET";
    const redirect = o.redirect !== undefined ? `${o.redirect}` : from !== null ? from.#redirect : "follow";
    if (redirect !== "follow" && redirect !== "error" && redirect !== "manual") {
      check.fail("new Request: redirect", '"follow", "error" or "manual"', redirect);
    }
    const signal = o.signal !== undefined ? o.signal : from !== null ? from.#signal : null;
    if (signal !== null && !isSignal(signal)) check.fail("new Request: signal", "an AbortSignal", signal);
    const headers = new Headers(o.headers !== undefined ? o.headers : from !== null ? from.#headers : undefined);
    const given = o.body !== undefined && o.body !== null;
    if ((given || from !== null && o.body === undefined && contentOf(from) !== null) && (method === "GET" || method === "HEAD")) {
      throw new TypeError("new Request: a request with the method GET or HEAD has no body");
    }
    let content = null;
    if (given) {
      const body = extract(o.body);
      content = body.content;
      if (body.type !== null && !headers.has("content-type")) headers.set("content-type", body.type);
    } else if (from !== null) {
      content = contentOf(from, true);
    }
    super(content);
    this.#url = url;
    this.#method = method;
    this.#redirect = redirect;
    this.#headers = headers;
    this.#signal = AbortSignal.any(signal === null ? [] : [signal]);
  }
  static {
    tellRequest = (r) => (#method in r) ? [": ", "method", r.#method, "url", r.#url, "headers", r.#headers, "redirect", r.#redirect,
      "bodyUsed", usedOf(r)] : undefined;
  }
  get url() { return this.#url; }
  get method() { return this.#method; }
  get headers() { return this.#headers; }
  get redirect() { return this.#redirect; }
  get signal() { return this.#signal; }
  clone() {
    const content = contentOf(this);
    return new Request(this.#url, {
      __proto__: null, method: this.#method, headers: this.#headers, redirect: this.#redirect, signal: this.#signal,
      body: content === null ? undefined : content,
    });
  }
}
tag(Request, "Request");

function urlOf(value) {
  let url;
  try {
    url = new URL(value);
  } catch (error) {
    throw new TypeError(`fetch: ${check.what(`${value}`)} is no URL; it has to be absolute`, { cause: error });
  }
  if (url.username !== "" || url.password !== "") {
    throw new TypeError("fetch: a URL with user and password cannot be fetched; use the header Authorization");
  }
  return url.href;
}

// ---- Response

const key = {};
const isOK = (status) => status >= 200 && status <= 299;
const nullBody = (status) => status === 101 || status === 103 || status === 204 || status === 205 || status === 304;

class Response extends Body {
  #status = 200;
  #statusText = "";
  #headers;
  #type = "default";
  #url = "";
  #redirected = false;

  constructor(body = undefined, init = undefined, given = undefined) {
    const o = dictionary("new Response", init), made = given === key;
    const extracted = made ? { __proto__: null, content: body, type: null } : extract(body);
    super(extracted.content);
    this.#headers = new Headers(o.headers);
    if (o.status !== undefined) {
      this.#status = made ? o.status : +o.status;
      if (!made && !(this.#status >= 200 && this.#status <= 599)) {
        throw new RangeError(`new Response: the status must be from 200 to 599, got ${check.what(o.status)}`);
      }
    }
    if (o.statusText !== undefined) this.#statusText = valueOf("new Response: statusText", o.statusText);
    if (!made && extracted.content !== null && nullBody(this.#status)) {
      throw new TypeError(`new Response: a response with the status ${this.#status} has no body`);
    }
    if (extracted.type !== null && !this.#headers.has("content-type")) this.#headers.set("content-type", extracted.type);
    if (made) {
      this.#type = o.type;
      this.#url = o.url;
      this.#redirected = o.redirected;
      seal(this.#headers);
    }
  }

  static {
    tellResponse = (r) => (#status in r) ? [": ", "status", r.#status, "statusText", r.#statusText, "headers", r.#headers, "bodyUsed", usedOf(r),
      "ok", isOK(r.#status), "redirected", r.#redirected, "type", r.#type, "url", r.#url] : undefined;
  }
  static error() {
    return new Response(null, { __proto__: null, status: 0, type: "error", url: "", redirected: false }, key);
  }
  static json(data, init = undefined) {
    const text = stringify(data);
    if (text === undefined) check.fail("Response.json: data", "plain data", data);
    const response = new Response(text, init), { headers } = dictionary("Response.json", init);
    if (!new Headers(headers).has("content-type")) response.#headers.set("content-type", "application/json");
    return response;
  }
  static redirect(url, status = 302) {
    const location = new URL(url).href;
    if (status !== 301 && status !== 302 && status !== 303 && status !== 307 && status !== 308) {
      throw new RangeError(`Response.redirect: the status must be that of a redirect, got ${check.what(status)}`);
    }
    return new Response(null, { __proto__: null, status, headers: { __proto__: null, location } });
  }

  get type() { return this.#type; }
  get url() { return this.#url; }
  get redirected() { return this.#redirected; }
  get status() { return this.#status; }
  get ok() { return isOK(this.#status); }
  get statusText() { return this.#statusText; }
  get headers() { return this.#headers; }
  clone() {
    const copy = new Response(contentOf(this), { __proto__: null, status: this.#status, statusText: this.#statusText,
      headers: listOf(this.#headers), type: this.#type, url: this.#url, redirected: this.#redirected }, key);
    if (this.#type === "default") copy.#headers = new Headers(listOf(this.#headers)); // these can be changed
    return copy;
  }
}
tag(Response, "Response");

// ---- fetch

const withoutHash = (url) => {
  const i = indexOf(url, "#");
  return i < 0 ? url : slice(url, 0, i);
};

// An own copy of an error's cause, which comes as plain data.
function withCause(error) {
  const data = error.cause;
  if (data === undefined || error.code !== "ERR_FETCH_FAILED") return error;
  const cause = new Error(data.message);
  defineProperty(cause, "code", { __proto__: null, value: data.code, writable: true, enumerable: true, configurable: true });
  defineProperty(error, "cause", { __proto__: null, value: cause, writable: true, enumerable: false, configurable: true });
  return error;
}

async function fetch(input, init = undefined) {
  const request = new Request(input, init), { signal, method } = request;
  const of = check.of("fetch: of", dictionary("fetch", init).of);
  signal.throwIfAborted();
  const args = { __proto__: null, url: withoutHash(request.url), method, headers: listOf(request.headers), redirect: request.redirect };
  const content = contentOf(request, true);
  if (content !== null) {
    const size = typeof content === "string" ? content.length : typedArrayByteLength(content);
    if (size > MOST_BODY) throw new RangeError(`fetch ${method} ${args.url}: the body has ${size} bytes, of ${MOST_BODY} at most`);
    // As text, so that secrets in it are found.
    args.body = typeof content === "string" ? content : textOf(content) ?? content;
    if (typeof args.body !== "string") args.bodyEncoding = "base64";
  }
  let answer;
  try {
    answer = await perform(method === "GET" || method === "HEAD" ? "net.get" : "net.fetch", args, of, false, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw withCause(error);
  }
  signal.throwIfAborted();
  const { status, statusText, headers, redirected } = answer;
  return new Response(nullBody(status) ? null : host.buffer(answer.body), {
    __proto__: null, status, statusText, headers, redirected, url: withoutHash(answer.url), type: "basic",
  }, key);
}

// What console.log shows of them.
function tell(value) {
  return tellHeaders(value) ?? tellRequest(value) ?? tellResponse(value);
}

return { fetch, Headers, Request, Response, tell };
