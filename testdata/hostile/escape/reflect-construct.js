// Managed classes, constructed as something else.
// isolated: ok
// in process: ok
export default (self) => {
  const made = [];
  for (const target of [Array, Object, Map, Proxy, function () {}, class {}]) {
    try { made.push(Reflect.construct(self.constructor, [{}, self], target)); } catch {}
  }
  for (const o of made) self.items.push(o);
  if (made.length) self.items.length = 0;
};
