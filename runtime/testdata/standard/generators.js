// Async generators and for await, which the build lowers. Prints what generators.out has, here as in Node.
const wait = (value) => new Promise((resolve) => setTimeout(() => resolve(value), 0));
const log = (...args) => console.log(args.map((v) => typeof v === "string" ? v : JSON.stringify(v)).join(" "));

async function* count(n) {
  try {
    for (let i = 0; i < n; i++) yield await wait(i);
    return "all";
  } finally {
    log("finally");
  }
}
async function all(iterable) {
  const list = [];
  for await (const v of iterable) list.push(v);
  return list;
}

log(await all(count(3)));
log(await all([wait(1), 2, Promise.resolve(3)]));
for await (const v of count(10)) {
  if (v === 1) break;
  log(v);
}

// next, return and throw, queued.
const g = count(2);
log(await Promise.all([g.next(), g.next(), g.next(), g.next()]));
const r = count(5);
log(await r.next(), await r.return("early"), await r.next());
const t = count(5);
await t.next();
log(await t.throw(new Error("mine")).catch((e) => e.message), await t.next());

// yield* over both kinds, and what it returns.
async function* outer() {
  const result = yield* count(2);
  yield result;
  yield* [7, wait(8)];
}
log(await all(outer()));

// Errors: of the generator, of the loop's body, of promises that are yielded.
async function* failing() {
  yield 1;
  throw new TypeError("inside");
}
log(await all(failing()).catch((e) => e.name + " " + e.message));
try {
  for await (const v of count(3)) throw new Error("body " + v);
} catch (e) {
  log(e.message);
}
async function* rejecting() {
  try {
    yield Promise.reject(new Error("yielded"));
  } catch (e) {
    yield "caught " + e.message;
  }
}
log(await all(rejecting()));

// Methods, private ones too; iterables of one's own, with return.
class Pages {
  #pages = [["a", "b"], ["c"]];
  async *#each() { for (const page of this.#pages) yield await wait(page); }
  async *[Symbol.asyncIterator]() { for await (const page of this.#each()) yield* page; }
  static async *from(list) { yield* list; }
}
log(await all(new Pages()), await all(Pages.from("xy")));
const own = {
  [Symbol.asyncIterator]: () => ({ n: 0, next() { return { value: this.n, done: this.n++ > 4 }; }, return() { log("returned"); return {}; } }),
};
outerLoop: for (const a of [1, 2]) {
  for await (const b of own) {
    if (b === 2) continue outerLoop;
    log(a, b);
  }
}
for await (const { x, y = 5 } of [{ x: 1 }, { x: 2, y: 3 }]) log(x, y);
log(typeof count(1)[Symbol.asyncIterator], count(1).next() instanceof Promise);

// What a loop threw is not thrown again: by another loop, nor by the same one.
for await (const v of count(2)) log(v);
for (const bad of [true, false]) {
  try {
    for await (const v of count(2)) if (bad) throw new Error("once");
    log("none");
  } catch (e) {
    log(e.message);
  }
}

// One inside of another.
for await (const a of count(2)) {
  for await (const b of count(2)) log(a, b);
  try {
    for await (const b of failing()) log(a, b);
  } catch (e) {
    log(a, e.message);
  }
}

// With variables of these names, labels, and what assigns elsewhere.
const temp = "user", error = "mine", iter = [], more = {};
pages: for await (const { a = temp } of [{}, { a: 2 }]) {
  for await (iter[0] of count(3)) {
    if (iter[0] === 1) continue pages;
    log(a, iter, error);
  }
}
for await (more.value of count(2));
for await (var [hoisted] of ["x", "y"]);
log(more, hoisted, temp);
