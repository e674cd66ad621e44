test("fn", (t) => {
  const add = t.mock.fn((a, b) => a + b, { times: 2 });
  assert.equal(add(1, 2), 3);
  const twice = t.mock.fn((n) => n, (n) => n * 2, { times: 1 });
  assert.deepEqual([twice(2), twice(2)], [4, 2]); // then the original
  assert.equal(twice.mock.callCount(), 2);
  assert.equal(t.mock.fn()(1), undefined);
  assert.equal(t.mock.fn({ times: 1 })(1), undefined);
});
test("once", (t) => {
  const next = t.mock.fn(() => "usual");
  next.mock.mockImplementationOnce(() => "first");
  next.mock.mockImplementationOnce(() => "third", 2);
  assert.deepEqual([next(), next(), next(), next()], ["first", "usual", "third", "usual"]);
  assert.throws(() => next.mock.mockImplementationOnce(() => 1, 3), /RangeError: mock.mockImplementationOnce: onCall must be an integer of at least 4, got 3/);
  next.mock.mockImplementation(() => "new");
  assert.equal(next(), "new");
  next.mock.restore();
  assert.equal(next(), "usual");
  assert.equal(next.mock.calls.length, 6);
});
test("what a call records", (t) => {
  const fail = t.mock.fn(function (a) { throw new RangeError(a); });
  const self = {};
  assert.throws(() => fail.call(self, "x"), RangeError);
  const [call] = fail.mock.calls;
  assert.deepEqual(Object.keys(call).sort(), ["arguments", "error", "result", "stack", "target", "this"]);
  assert.equal(call.this, self);
  assert.deepEqual(call.arguments, ["x"]);
  assert.equal(call.error.message, "x");
  assert.equal(call.target, undefined);
  assert.match(call.stack.stack, /mocks\.test\.js:25/);
  fail.mock.resetCalls();
  assert.deepEqual(fail.mock.calls, []);
});
class Point {
  static origin = "zero";
  #x = 1;
  constructor(x) { this.#x = x; }
  get x() { return this.#x; }
  set x(x) { this.#x = x; }
  double() { return this.#x * 2; }
}
const api = { Point };
test("classes", (t) => {
  const mock = t.mock.method(api, "Point");
  const p = new api.Point(2);
  assert.equal(p.double(), 4);
  assert(p instanceof Point && p instanceof api.Point);
  assert.equal(api.Point.origin, "zero");
  assert.equal(mock.mock.calls[0].target, mock);
  assert.equal(mock.mock.calls[0].result, p);
  class Fake extends Point { double() { return 0; } }
  mock.mock.mockImplementation(Fake);
  assert.equal(new api.Point(2).double(), 0);
  mock.mock.mockImplementation(function (x) { this.made = x; });
  assert.equal(new api.Point(3).made, 3);
  assert(new api.Point(3) instanceof Point);
  class Derived extends api.Point {}
  mock.mock.mockImplementation(Point);
  assert.equal(new Derived(5).double(), 10);
  assert(new Derived(5) instanceof Derived);
});
test("getters and setters", (t) => {
  const get = t.mock.getter(Point.prototype, "x", function () { return get.mock.original.call(this) + 100; });
  const p = new Point(1);
  assert.equal(p.x, 101);
  const set = t.mock.method(Point.prototype, "x", function () {}, { setter: true });
  p.x = 5;
  assert.deepEqual(set.mock.calls[0].arguments, [5]);
  assert.equal(p.x, 101);
  get.mock.restore();
  assert.equal(p.x, 1);
  assert.throws(() => t.mock.getter(p, "double"), /mock.getter: double is no getter of/);
  assert.throws(() => t.mock.method(p, "x", { getter: true, setter: true }), /cannot be both/);
  assert.throws(() => t.mock.fn({ times: 0 }), /times must be an integer of at least 1, got 0/);
});
test("restored, the last one first", (t) => {
  const original = api.Point;
  t.mock.method(api, "Point", () => 1);
  t.mock.method(api, "Point", () => 2);
  assert.equal(api.Point(), 2);
  t.mock.restoreAll();
  assert.equal(api.Point, original);
  const gone = Object.freeze({ stop() { return 1; } });
  assert.throws(() => t.mock.method(gone, "stop", () => 2), TypeError);
  const later = { stop() { return 1; } };
  t.mock.method(later, "stop", () => 2);
  Object.freeze(later); // as a destroyed object is
  t.mock.reset();
});
test("all is as it was", () => {
  assert.equal(api.Point, Point);
  assert.equal(new Point(4).x, 4);
});
