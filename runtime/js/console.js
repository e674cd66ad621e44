// console, as Node has it, on top of host.print(level, text).
const p = primordials;
const { inspect } = host;
const counts = new p.Map(), times = new p.Map();
let indent = "";

function format(args) {
  let text = "", i = 0;
  if (args.length > 1 && typeof args[0] === "string" && p.indexOf(args[0], "%") >= 0) {
    const parts = p.split(args[0], "%");
    text = parts[0];
    i = 1;
    for (let k = 1; k < parts.length; k++) {
      const part = parts[k], letter = p.slice(part, 0, 1), rest = p.slice(part, 1);
      if (part === "" && k + 1 < parts.length) { text += "%" + parts[++k]; continue; }
      if (i >= args.length || p.indexOf("sdifjoOc", letter) < 0 || letter === "") { text += "%" + part; continue; }
      const arg = args[i++];
      switch (letter) {
        case "s": text += typeof arg === "string" ? arg : inspect(arg, 0); break;
        case "d": text += typeof arg === "object" || typeof arg === "function" ? "NaN" : typeof arg === "symbol" ? "NaN" : inspect(typeof arg === "bigint" ? arg : p.Number(arg)); break;
        case "i": text += typeof arg === "number" || typeof arg === "string" ? inspect(p.parseInt(arg, 10)) : typeof arg === "bigint" ? inspect(arg) : "NaN"; break;
        case "f": text += typeof arg === "number" || typeof arg === "string" ? inspect(p.Number(arg)) : "NaN"; break;
        case "c": break; // a style
        default: text += inspect(arg, 4);
      }
      text += rest;
    }
  }
  for (let first = i === 0; i < args.length; i++, first = false) {
    text += (first ? "" : " ") + inspect(args[i]);
  }
  return text;
}

function print(level, text) {
  host.print(level, indent === "" ? text : indent + p.replaceAll(text, "\n", "\n" + indent));
}

const label = (value) => value === undefined ? "default" : typeof value === "string" ? value : inspect(value);

function elapsed(name, args) {
  const key = label(name);
  if (!p.MapHas(times, key)) return print("warn", `there is no timer ${inspect({ label: key })}`);
  const ms = host.now() - p.MapGet(times, key);
  let text = `${key}: ${p.numberToFixed(ms, 3)}ms`;
  if (args.length > 0) text += " " + format(args);
  print("log", text);
}

function table(data) {
  if (typeof data !== "object" || data === null) return print("log", inspect(data));
  const columns = ["(index)"], seen = new p.Map(), rows = [];
  p.MapSet(seen, "(index)", 0);
  const cellOf = (row, column, text) => {
    if (!p.MapHas(seen, column)) { p.MapSet(seen, column, columns.length); p.push(columns, column); }
    row[p.MapGet(seen, column)] = text;
  };
  const values = "Values\u0000"; // cannot be the name of a column by accident
  const own = (object) => {
    const keys = [], all = p.ownKeys(object);
    for (let i = 0; i < all.length && keys.length < 1000; i++) {
      const d = typeof all[i] === "string" ? p.getOwnPropertyDescriptor(object, all[i]) : undefined;
      if (d !== undefined && d.enumerable) p.push(keys, [all[i], "value" in d ? inspect1(d.value) : "[Getter]", d.value]);
    }
    return keys;
  };
  const inspect1 = (v) => typeof v === "string" ? "'" + v + "'" : inspect(v, 0);
  const keys = own(data);
  for (let i = 0; i < keys.length; i++) {
    const row = { __proto__: null, 0: keys[i][0] };
    const v = keys[i][2];
    if (typeof v === "object" && v !== null) {
      const cells = own(v);
      for (let k = 0; k < cells.length; k++) cellOf(row, cells[k][0], cells[k][1]);
    } else {
      row[values] = keys[i][1];
      p.MapSet(seen, values, -1);
    }
    p.push(rows, row);
  }
  const hasValues = p.MapHas(seen, values);
  const grid = [[]];
  for (let c = 0; c < columns.length; c++) p.push(grid[0], columns[c]);
  if (hasValues) p.push(grid[0], "Values");
  for (let r = 0; r < rows.length; r++) {
    const line = [];
    for (let c = 0; c < columns.length; c++) p.push(line, rows[r][c] === undefined ? "" : rows[r][c]);
    if (hasValues) p.push(line, rows[r][values] === undefined ? "" : rows[r][values]);
    p.push(grid, line);
  }
  const widths = [];
  for (let c = 0; c < grid[0].length; c++) {
    let w = 0;
    for (let r = 0; r < grid.length; r++) if (grid[r][c].length > w) w = grid[r][c].length;
    p.push(widths, w);
  }
  const rule = (l, m, r) => {
    let s = l;
    for (let c = 0; c < widths.length; c++) s += (c === 0 ? "" : m) + p.repeat("─", widths[c] + 2);
    return s + r;
  };
  const lines = [rule("┌", "┬", "┐")];
  for (let r = 0; r < grid.length; r++) {
    let s = "│";
    for (let c = 0; c < widths.length; c++) s += " " + p.padEnd(grid[r][c], widths[c]) + " │";
    p.push(lines, s);
    if (r === 0) p.push(lines, rule("├", "┼", "┤"));
  }
  p.push(lines, rule("└", "┴", "┘"));
  print("log", p.join(lines, "\n"));
}

const group = (...args) => {
  if (args.length > 0) print("log", format(args));
  indent = p.slice(indent + "  ", 0, 100);
};

return {
  globals: {
    console: {
      log(...args) { print("log", format(args)); },
      info(...args) { print("info", format(args)); },
      warn(...args) { print("warn", format(args)); },
      error(...args) { print("error", format(args)); },
      debug(...args) { print("debug", format(args)); },
      dir(value, options) {
        const depth = options === undefined || options === null ? undefined : options.depth;
        print("log", typeof value === "string" ? p.stringify(value) : inspect(value, depth === null ? 100 : typeof depth === "number" ? depth : undefined));
      },
      trace(...args) {
        const text = format(args);
        print("error", (text === "" ? "Trace" : "Trace: " + text) + host.stack());
      },
      assert(condition, ...args) {
        if (condition) return;
        if (typeof args[0] === "string") args[0] = "Assertion failed: " + args[0];
        print("error", args.length === 0 ? "Assertion failed" : typeof args[0] === "string" ? format(args) : "Assertion failed " + format(args));
      },
      group,
      groupCollapsed: group,
      groupEnd() { indent = p.slice(indent, 2); },
      table,
      count(name) {
        const key = label(name);
        const n = (p.MapGet(counts, key) || 0) + 1;
        p.MapSet(counts, key, n);
        print("log", `${key}: ${n}`);
      },
      countReset(name) { p.MapDelete(counts, label(name)); },
      time(name) { p.MapSet(times, label(name), host.now()); },
      timeLog(name, ...args) { elapsed(name, args); },
      timeEnd(name) {
        elapsed(name, []);
        p.MapDelete(times, label(name));
      },
    },
  },
};
