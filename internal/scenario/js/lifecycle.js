// Assertions that Node does not have: about events, about the fate of managed
// objects, and against stored values.

const EVENTS_SHOWN = 200;

// order: the expected events occurred, in this order, others between them or not.
function order(events, expected, message) {
  for (const list of [events, expected]) {
    if (!isArray(list)) throw new TypeError(`assert.order: expected an array of events, got ${inspect(list)}`);
  }
  const places = [];
  for (const event of expected) {
    const place = events.indexOf(event, places.length > 0 ? places[places.length - 1] + 1 : 0);
    if (place < 0) return failedAs(explainOrder(events, expected, places), message, { actual: events, expected, operator: "order" });
    places.push(place);
  }
}

function explainOrder(events, expected, places) {
  const wanted = expected[places.length];
  const before = expected[places.length - 1];
  const early = events.indexOf(wanted);
  let reason;
  if (early < 0) reason = `"${wanted}" is missing`;
  else if (expected.slice(0, places.length).includes(wanted)) reason = `"${wanted}" did not occur again after "${before}"`;
  else reason = `"${wanted}" came before "${before}", not after it`;
  const lines = events.slice(0, EVENTS_SHOWN).map((event, k) => `  ${String(k + 1).padStart(3)} ${places.includes(k) ? "*" : " "} ${event}`);
  if (events.length > EVENTS_SHOWN) lines.push(`      ... ${plural(events.length - EVENTS_SHOWN, "more event")}`);
  return [
    `${reason}\n`,
    "Expected in this order:",
    ...expected.map((event, k) => `  ${k < places.length ? "*" : k === places.length ? ">" : " "} ${event}`),
    events.length > 0 ? "\nThe events (* as expected):" : "\nThere were no events.",
    ...lines,
  ].join("\n");
}

// destroyed: each of these objects, or of the objects with these ids, is destroyed.
function destroyed(...objects) {
  checkState("destroyed", objects, (state) => state === "destroyed" || state === "gone");
}

// alive: each of these is live.
function alive(...objects) {
  checkState("alive", objects, (state) => state === "live");
}

function checkState(name, objects, wanted) {
  if (objects.length === 0) throw new TypeError(`assert.${name}: at least one object or id must be given`);
  for (const object of objects) {
    const id = typeof object === "string" ? object : idOf(object);
    if (id === null) throw new TypeError(`assert.${name}: expected managed objects or ids, got ${inspect(object)}`);
    const state = host.state(object);
    if (wanted(state)) continue;
    const how = state === "unknown" ? "there never was an object of this id" : state === "gone" ? "it is gone" : `it is ${state}`;
    failedAs(`Expected ${id} to be ${name}: ${how}`, undefined,
      { actual: state, expected: name === "alive" ? "live" : "destroyed", operator: name });
  }
}

// snapshot: the value is as it was stored under the test's name. Without a name
// of its own, the snapshots of a test are numbered.
function snapshot(value, name) {
  const scope = current;
  if (!scope) throw new Error("assert.snapshot: no test is running");
  const full = fullName(scope.node);
  const key = `${full} > ${name === undefined ? ++scope.snapshots : name}`;
  const text = typeof value === "string" ? value : inspect(value, SHOWN);
  const stored = host.golden(scope.node.root.name, key, text) ?? null;
  if (stored === null) {
    failedAs(`No stored value for "${key}"; run with --update to store\n\n${text}`, undefined, { actual: text, expected: "", operator: "snapshot" });
  }
  if (stored !== text) failed(undefined, { actual: text, expected: stored, operator: "snapshot" });
}

Object.assign(assert, {
  ok, fail, match, doesNotMatch, ifError, throws, doesNotThrow, rejects, doesNotReject,
  equal: strictEqual, strictEqual, notEqual: notStrictEqual, notStrictEqual,
  deepEqual: deepStrictEqual, deepStrictEqual, notDeepEqual: notDeepStrictEqual, notDeepStrictEqual,
  order, destroyed, alive, snapshot, AssertionError, strict: assert,
});
