// The saved environment in a form that two runs of a test agree on.

const GENERATED = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

// Objects by id, without what counts deployments (incarnations, versions, the digest). Generated ids are numbered by
// class, wherever they stand.
function graphOf({ objects }) {
  const [names, counts] = [new Map(), new Map()];
  for (const { "?": { id, type } } of objects) {
    if (!GENERATED.test(id)) continue;
    const short = type.slice(type.lastIndexOf("/") + 1);
    counts.set(short, (counts.get(short) ?? 0) + 1);
    names.set(id, `${short}#${counts.get(short)}`);
  }
  const named = (value) => {
    if (typeof value === "string") return names.get(value) ?? value;
    if (isArray(value)) return value.map(named);
    if (!isObject(value)) return value;
    const out = {};
    for (const key of keys(value)) out[key] = named(value[key]);
    return out;
  };
  const graph = {};
  for (const { "?": { id, version, incarnation, ...header }, ...properties } of objects) {
    graph[named(id)] = named({ "?": header, ...properties });
  }
  return graph;
}
