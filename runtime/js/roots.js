// What lives without being referred to: pending timers and the variables of modules. Both are kept here,
// where the collector finds them through the global setTimeout, whose closure this is. Of timers the
// host keeps only ids and times, so that a cycle through a callback is an ordinary one.
const { Map, MapGet, MapSet, MapDelete, MapClear, TypeError, apply, push, getOwnPropertyDescriptor, defineProperty } = primordials;

const timers = new Map();
const scopes = [];

function add(name, callback, delay, repeat, args) {
  if (typeof callback !== "function") {
    throw new TypeError(`${name}: the callback must be a function, got ${callback === null ? "null" : typeof callback}`);
  }
  const id = host.schedule(delay, repeat);
  MapSet(timers, id, { callback, args, repeat });
  return id;
}

function remove(id) {
  if (MapDelete(timers, id)) host.cancel(id);
}

return {
  fire(id) {
    const timer = MapGet(timers, id);
    if (timer === undefined) return;
    if (!timer.repeat) MapDelete(timers, id);
    apply(timer.callback, undefined, timer.args);
  },
  timers,
  clearTimers() { MapClear(timers); },
  scope(variables) { push(scopes, variables); },
  rename(value, name, original) {
    if (typeof value !== "function") return;
    const d = getOwnPropertyDescriptor(value, "name");
    if (d !== undefined && d.configurable && d.value === name) {
      defineProperty(value, "name", { __proto__: null, value: original });
    }
  },
  moduleVariables() {
    const list = [];
    for (let s = 0; s < scopes.length; s++) {
      for (let i = 0; i < scopes[s].length; i++) {
        try {
          const value = scopes[s][i][1]();
          push(list, scopes[s][i][0], value);
        } catch {
          // not initialised yet
        }
      }
    }
    return list;
  },
  globals: {
    setTimeout(callback, delay, ...args) { return add("setTimeout", callback, +delay, false, args); },
    setInterval(callback, delay, ...args) { return add("setInterval", callback, +delay, true, args); },
    setImmediate(callback, ...args) { return add("setImmediate", callback, 0, false, args); },
    clearTimeout(id) { remove(id); },
    clearInterval(id) { remove(id); },
    clearImmediate(id) { remove(id); },
    queueMicrotask(callback) {
      if (typeof callback !== "function") {
        throw new TypeError(`queueMicrotask: the callback must be a function, got ${callback === null ? "null" : typeof callback}`);
      }
      // Awaiting looks nothing up that user code could have changed, and carries the async context.
      (async () => { await undefined; callback(); })();
    },
  },
};
