// Events, what can be aborted, and DOMException, as the DOM standard has them. There is no tree of targets: an event
// is dispatched to its target alone.
const { Error, TypeError, RangeError, Symbol, create, defineProperty, push, arraySlice,
  arraySplice, apply, floor, Map, MapGet, MapSet, MapDelete } = primordials;

const fixed = (object, name, value) => defineProperty(object, name, { __proto__: null, value, enumerable: true });
const tag = (Class, value) => defineProperty(Class.prototype, Symbol.toStringTag, { __proto__: null, value, configurable: true });

// An error that no caller gets is one of a promise that nobody handles.
const report = (error) => { (async () => { throw error; })(); };

// ---- DOMException

const codes = {
  __proto__: null, IndexSizeError: 1, HierarchyRequestError: 3, WrongDocumentError: 4, InvalidCharacterError: 5,
  NoModificationAllowedError: 7, NotFoundError: 8, NotSupportedError: 9, InUseAttributeError: 10, InvalidStateError: 11,
  SyntaxError: 12, InvalidModificationError: 13, NamespaceError: 14, InvalidAccessError: 15, TypeMismatchError: 17,
  SecurityError: 18, NetworkError: 19, AbortError: 20, URLMismatchError: 21, QuotaExceededError: 22, TimeoutError: 23,
  InvalidNodeTypeError: 24, DataCloneError: 25,
};

class DOMException extends Error {
  #name;
  constructor(message = "", options = "Error") {
    super(`${message}`);
    let name = options;
    if (typeof options === "object" && options !== null) {
      name = options.name === undefined ? "Error" : options.name;
      if ("cause" in options) {
        defineProperty(this, "cause", { __proto__: null, value: options.cause, writable: true, configurable: true });
      }
    }
    this.#name = `${name}`;
  }
  get name() { return this.#name; }
  get code() { return codes[this.#name] ?? 0; }
}
tag(DOMException, "DOMException");
const constants = ["INDEX_SIZE_ERR", 1, "HIERARCHY_REQUEST_ERR", 3, "WRONG_DOCUMENT_ERR", 4, "INVALID_CHARACTER_ERR", 5,
  "NO_MODIFICATION_ALLOWED_ERR", 7, "NOT_FOUND_ERR", 8, "NOT_SUPPORTED_ERR", 9, "INUSE_ATTRIBUTE_ERR", 10, "INVALID_STATE_ERR", 11,
  "SYNTAX_ERR", 12, "INVALID_MODIFICATION_ERR", 13, "NAMESPACE_ERR", 14, "INVALID_ACCESS_ERR", 15, "TYPE_MISMATCH_ERR", 17,
  "SECURITY_ERR", 18, "NETWORK_ERR", 19, "ABORT_ERR", 20, "URL_MISMATCH_ERR", 21, "QUOTA_EXCEEDED_ERR", 22, "TIMEOUT_ERR", 23,
  "INVALID_NODE_TYPE_ERR", 24, "DATA_CLONE_ERR", 25];
for (let i = 0; i < constants.length; i += 2) {
  fixed(DOMException, constants[i], constants[i + 1]);
  fixed(DOMException.prototype, constants[i], constants[i + 1]);
}

// ---- Event

let stateOf; // of an event
let isEvent;

// What a dictionary of options says; undefined and null have none.
function dictionary(where, value) {
  if (value === undefined || value === null) return create(null);
  if (typeof value !== "object" && typeof value !== "function") throw new TypeError(`${where}: options must be an object`);
  return value;
}

class Event {
  #state;
  constructor(type, options) {
    if (arguments.length === 0) throw new TypeError("new Event: a type is required");
    const o = dictionary("new Event", options);
    this.#state = {
      __proto__: null, type: `${type}`, bubbles: !!o.bubbles, cancelable: !!o.cancelable, composed: !!o.composed,
      target: null, current: null, phase: 0, canceled: false, stopped: false, stoppedAtOnce: false, passive: false,
      trusted: false, time: host.now() - host.origin,
    };
  }
  get type() { return this.#state.type; }
  get target() { return this.#state.target; }
  get srcElement() { return this.#state.target; }
  get currentTarget() { return this.#state.current; }
  get eventPhase() { return this.#state.phase; }
  get bubbles() { return this.#state.bubbles; }
  get cancelable() { return this.#state.cancelable; }
  get composed() { return this.#state.composed; }
  get defaultPrevented() { return this.#state.canceled; }
  get returnValue() { return !this.#state.canceled; }
  set returnValue(value) { if (!value) this.preventDefault(); }
  get cancelBubble() { return this.#state.stopped; }
  set cancelBubble(value) { if (value) this.#state.stopped = true; }
  get timeStamp() { return this.#state.time; }
  get isTrusted() { return this.#state.trusted; }
  composedPath() { return this.#state.current === null ? [] : [this.#state.current]; }
  preventDefault() {
    const s = this.#state;
    if (s.cancelable && !s.passive) s.canceled = true;
  }
  stopPropagation() { this.#state.stopped = true; }
  stopImmediatePropagation() {
    this.#state.stopped = true;
    this.#state.stoppedAtOnce = true;
  }
  static {
    stateOf = (event) => event.#state;
    isEvent = (value) => (#state in value);
    const phases = ["NONE", "CAPTURING_PHASE", "AT_TARGET", "BUBBLING_PHASE"];
    for (let i = 0; i < phases.length; i++) {
      fixed(this, phases[i], i);
      fixed(this.prototype, phases[i], i);
    }
  }
}
tag(Event, "Event");

class CustomEvent extends Event {
  #detail;
  constructor(type, options) {
    super(type, options);
    const detail = dictionary("new CustomEvent", options).detail;
    this.#detail = detail === undefined ? null : detail;
  }
  get detail() { return this.#detail; }
}
tag(CustomEvent, "CustomEvent");

// ---- EventTarget

let add, remove, listens, dispatch; // on an EventTarget, for what is below
let changed = () => {};             // hears of (target) whose listeners have changed

class EventTarget {
  #listeners = create(null); // by type: lists of { callback, capture, once, passive, removed }

  addEventListener(type, callback, options) {
    if (arguments.length < 2) throw new TypeError("addEventListener: a type and a callback are required");
    const name = `${type}`;
    const o = typeof options === "boolean" ? { __proto__: null, capture: options } : dictionary("addEventListener", options);
    const { once, passive, signal } = o, capture = !!o.capture;
    if (signal !== undefined && !isSignal(signal)) throw new TypeError("addEventListener: signal must be an AbortSignal");
    if (callback === null || callback === undefined) return void this.#listeners;
    if (typeof callback !== "function" && typeof callback !== "object") {
      throw new TypeError("addEventListener: the callback must be a function or an object");
    }
    if (signal !== undefined && isAborted(signal)) return;
    const list = this.#listeners[name] ??= [];
    for (let i = 0; i < list.length; i++) {
      if (list[i].callback === callback && list[i].capture === capture) return;
    }
    push(list, { __proto__: null, callback, capture, once: !!once, passive: !!passive, removed: false });
    changed(this);
    if (signal !== undefined) onAbort(signal, () => remove(this, name, callback, capture));
  }

  removeEventListener(type, callback, options) {
    if (arguments.length < 2) throw new TypeError("removeEventListener: a type and a callback are required");
    const capture = typeof options === "boolean" ? options : !!dictionary("removeEventListener", options).capture;
    remove(this, `${type}`, callback, capture);
  }

  dispatchEvent(event) {
    void this.#listeners;
    let s;
    try {
      s = stateOf(event);
    } catch {
      throw new TypeError("dispatchEvent: the argument must be an Event");
    }
    if (s.phase !== 0) throw new DOMException("The event is already being dispatched", "InvalidStateError");
    s.trusted = false;
    return dispatch(this, event);
  }

  static {
    add = (target, type, listener) => {
      push(target.#listeners[type] ??= [], listener);
      changed(target);
    };
    remove = (target, type, callback, capture) => {
      const list = target.#listeners[type];
      if (list === undefined) return;
      for (let i = 0; i < list.length; i++) {
        if (list[i].callback !== callback || list[i].capture !== capture) continue;
        list[i].removed = true;
        arraySplice(list, i, 1);
        if (list.length === 0) delete target.#listeners[type];
        changed(target);
        return;
      }
    };
    listens = (target, type) => target.#listeners[type] !== undefined;
    dispatch = (target, event) => {
      const s = stateOf(event);
      s.target = s.current = target;
      s.phase = 2;
      const list = target.#listeners[s.type];
      const present = list === undefined ? [] : arraySlice(list);
      for (let i = 0; i < present.length && !s.stoppedAtOnce; i++) {
        const l = present[i];
        if (l.removed) continue;
        if (l.once) remove(target, s.type, l.callback, l.capture);
        s.passive = l.passive;
        try {
          if (typeof l.callback === "function") {
            apply(l.callback, target, [event]);
          } else {
            const handle = l.callback.handleEvent;
            if (typeof handle !== "function") throw new TypeError("handleEvent of a listener is not a function");
            apply(handle, l.callback, [event]);
          }
        } catch (error) {
          report(error);
        }
        s.passive = false;
      }
      s.current = null;
      s.phase = 0;
      s.stopped = s.stoppedAtOnce = false;
      return !s.canceled;
    };
  }
}
tag(EventTarget, "EventTarget");

// ---- AbortSignal

const key = {};
let order = 0;                 // counts what was aborted
const deadlines = new Map();   // signals that wait for their time, by number: what keeps them
let lastDeadline = 0;
let abort, onAbort, notOnAbort, isSignal, isAborted;

class AbortSignal extends EventTarget {
  #reason;
  #order = 0;        // 0: not aborted
  #steps = [];       // functions that run when it is aborted, before listeners
  #handler = null;   // { callback } of onabort
  #sources = null;   // of a signal that AbortSignal.any made: what it follows
  #followers = [];   // made by AbortSignal.any, and somebody listens to them

  constructor(given) {
    if (given !== key) throw new TypeError("Illegal constructor");
    super();
  }

  static abort(reason) {
    const signal = new AbortSignal(key);
    abort(signal, reason);
    return signal;
  }

  static timeout(delay) {
    if (typeof delay !== "number") throw new TypeError(`AbortSignal.timeout: the delay must be a number of milliseconds, got ${typeof delay}`);
    if (!(delay >= 0 && delay <= 0xffffffff) || floor(delay) !== delay) {
      throw new RangeError(`AbortSignal.timeout: the delay must be a whole number of milliseconds from 0 to 4294967295, got ${delay}`);
    }
    const signal = new AbortSignal(key), id = ++lastDeadline;
    MapSet(deadlines, id, signal);
    host.deadline(delay, expire, id);
    return signal;
  }

  static any(signals) {
    const sources = [];
    const known = [];
    for (const signal of signals) {
      if (!isSignal(signal)) throw new TypeError("AbortSignal.any: all elements must be AbortSignals");
      push(known, signal);
    }
    const made = new AbortSignal(key);
    for (let i = 0; i < known.length; i++) {
      if (isAborted(known[i])) {
        abort(made, known[i].#reason);
        return made;
      }
    }
    for (let i = 0; i < known.length; i++) {
      const of = known[i].#sources;
      if (of === null) push(sources, known[i]);
      else for (let k = 0; k < of.length; k++) push(sources, of[k]);
    }
    made.#sources = sources;
    return made;
  }

  get aborted() {
    return isAborted(this);
  }
  get reason() {
    this.#follow();
    return this.#reason;
  }
  throwIfAborted() {
    if (this.aborted) throw this.#reason;
  }
  get onabort() { return this.#handler === null ? null : this.#handler.callback; }
  set onabort(callback) {
    const valid = typeof callback === "function";
    if (this.#handler !== null && valid) {
      this.#handler.callback = callback;
    } else if (this.#handler !== null) {
      remove(this, "abort", this.#handler.listener, false);
      this.#handler = null;
    } else if (valid) {
      const handler = this.#handler = { __proto__: null, callback, listener: (event) => apply(handler.callback, this, [event]) };
      add(this, "abort", { __proto__: null, callback: handler.listener, capture: false, once: false, passive: false, removed: false });
    }
  }

  // A signal that follows others, and that nobody listens to, is not known to them: so it need not outlive who made
  // it. It looks at them when it is asked.
  #follow() {
    if (this.#sources === null || this.#order !== 0) return;
    let first = null;
    for (let i = 0; i < this.#sources.length; i++) {
      const source = this.#sources[i];
      if (source.#order !== 0 && (first === null || source.#order < first.#order)) first = source;
    }
    if (first !== null) this.#mark(first.#reason, first.#order);
  }

  #mark(reason, at) {
    this.#reason = reason;
    this.#order = at;
    const sources = this.#sources;
    this.#sources = null;
    if (sources !== null) this.#unfollow(sources);
  }

  #unfollow(sources) {
    for (let i = 0; i < sources.length; i++) {
      const followers = sources[i].#followers;
      for (let k = 0; k < followers.length; k++) {
        if (followers[k] === this) {
          arraySplice(followers, k, 1);
          break;
        }
      }
    }
  }

  #fire() {
    const steps = this.#steps;
    this.#steps = [];
    for (let i = 0; i < steps.length; i++) steps[i]();
    const event = new Event("abort");
    stateOf(event).trusted = true;
    dispatch(this, event);
  }

  static {
    isSignal = (value) => typeof value === "object" && value !== null ? (#order in value) : false;
    isAborted = (signal) => {
      signal.#follow();
      return signal.#order !== 0;
    };
    abort = (signal, reason) => {
      if (isAborted(signal)) return;
      signal.#mark(reason === undefined ? new DOMException("This operation was aborted", "AbortError") : reason, ++order);
      const followers = signal.#followers;
      signal.#followers = [];
      for (let i = 0; i < followers.length; i++) followers[i].#mark(signal.#reason, signal.#order);
      signal.#fire();
      for (let i = 0; i < followers.length; i++) followers[i].#fire();
    };
    onAbort = (signal, step) => {
      push(signal.#steps, step);
      changed(signal);
    };
    notOnAbort = (signal, step) => {
      const steps = signal.#steps;
      for (let i = 0; i < steps.length; i++) {
        if (steps[i] !== step) continue;
        arraySplice(steps, i, 1);
        break;
      }
      changed(signal);
    };
    changed = (target) => {
      if (!isSignal(target) || target.#sources === null) return;
      const sources = target.#sources;
      target.#unfollow(sources);
      if (target.#steps.length === 0 && !listens(target, "abort")) return;
      for (let i = 0; i < sources.length; i++) push(sources[i].#followers, target);
    };
  }
}
tag(AbortSignal, "AbortSignal");

function expire(id) {
  const signal = MapGet(deadlines, id);
  MapDelete(deadlines, id);
  abort(signal, new DOMException("The operation was aborted due to timeout", "TimeoutError"));
}

let signalOf; // of an AbortController

class AbortController {
  #signal = new AbortSignal(key);
  static { signalOf = (value) => (#signal in value) ? value.#signal : undefined; }
  get signal() { return this.#signal; }
  abort(reason) { abort(this.#signal, reason); }
}
tag(AbortController, "AbortController");

// What console.log shows of them.
function tell(value) {
  if (isSignal(value)) return [": ", "aborted", isAborted(value)];
  if (signalOf(value) !== undefined) return [": ", "signal", signalOf(value)];
  if (!isEvent(value)) return undefined;
  const { type, canceled, cancelable, time } = stateOf(value);
  return [": ", "type", type, "defaultPrevented", canceled, "cancelable", cancelable, "timeStamp", time];
}

return { tell, Event, EventTarget, CustomEvent, DOMException, AbortController, AbortSignal, isSignal, isAborted, onAbort, notOnAbort };
