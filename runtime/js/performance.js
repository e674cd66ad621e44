// performance: time with fractions of a millisecond, on the runtime's clock.
const { defineProperty, Symbol, TypeError } = primordials;

let made;
class Performance {
  constructor() {
    if (made !== undefined) throw new TypeError("Illegal constructor");
    made = this;
  }
  get timeOrigin() { return host.origin; }
  now() { return host.now() - host.origin; }
  toJSON() { return { timeOrigin: host.origin }; }
}
defineProperty(Performance.prototype, Symbol.toStringTag, { __proto__: null, value: "Performance", configurable: true });
new Performance();

return { Performance, performance: made };
