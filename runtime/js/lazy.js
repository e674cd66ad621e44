// Globals that are made when a script first uses them. Until then, each is an accessor.
const { defineProperty } = primordials;
const { global, load } = host;

return {
  define(script, name) {
    const fix = (value) => {
      defineProperty(global, name, { __proto__: null, value, writable: true, enumerable: false, configurable: true });
    };
    defineProperty(global, name, {
      __proto__: null, enumerable: false, configurable: true, set: fix,
      get() {
        const value = load(script, name);
        fix(value);
        return value;
      },
    });
  },
};
