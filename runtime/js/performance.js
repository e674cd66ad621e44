// performance: time with fractions of a millisecond, on the runtime's clock.
const { defineProperty, Symbol, TypeError } = primordials;
const { EventTarget } = host.use("events");

let made;
class Performance extends EventTarget {
  constructor() {
    if (made !== undefined) throw new TypeError("Illegal constructor");
    super();
    made = this;
  }
  get timeOrigin() { return host.origin; }
  now() { return host.now() - host.origin; }
  toJSON() { return { timeOrigin: host.origin }; }
}
defineProperty(Performance.prototype, Symbol.toStringTag, { __proto__: null, value: "Performance", configurable: true });
new Performance();

return { Performance, performance: made };
