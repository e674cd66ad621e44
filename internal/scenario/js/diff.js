// The difference of two texts, line by line: E. W. Myers, "An O(ND) difference
// algorithm and its variations", 1986, on what lies between the common first
// and last lines. Texts that differ in more than MOST lines are not aligned.

const MOST = 400;
const AROUND = 2; // equal lines shown beside a difference
const LINES = 120; // lines shown in all

// lineDiff returns the lines of both texts, marked with "+" where only the first
// has them, "-" where only the second does.
function lineDiff(actual, expected) {
  const a = actual.split("\n");
  const b = expected.split("\n");
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const middle = align(a.slice(start, a.length - end), b.slice(start, b.length - end));
  return fold([
    ...a.slice(0, start).map((line) => `  ${line}`),
    ...middle,
    ...a.slice(a.length - end).map((line) => `  ${line}`),
  ]).join("\n");
}

// The shortest edit script from a to b. An array of the furthest x by diagonal
// x - y, which may be negative: diagonal k is at k + MIDDLE.
const MIDDLE = MOST + 1;

function align(a, b) {
  const trace = [];
  let furthest = new Array(2 * MIDDLE + 1).fill(0);
  const most = a.length > b.length + MOST || b.length > a.length + MOST ? -1 : MOST;
  for (let d = 0; d <= most; d++) {
    trace.push(furthest);
    const next = furthest.slice();
    for (let k = -d; k <= d; k += 2) {
      let x = down(next, k, d) ? next[k + 1 + MIDDLE] : next[k - 1 + MIDDLE] + 1;
      let y = x - k;
      while (x < a.length && y < b.length && a[x] === b[y]) {
        x++;
        y++;
      }
      next[k + MIDDLE] = x;
      if (x >= a.length && y >= b.length) return walkBack(trace, a, b);
    }
    furthest = next;
  }
  return [...a.map((line) => `+ ${line}`), ...b.map((line) => `- ${line}`)];
}

const down = (furthest, k, d) => k === -d || (k !== d && furthest[k - 1 + MIDDLE] < furthest[k + 1 + MIDDLE]);

function walkBack(trace, a, b) {
  const lines = [];
  let [x, y] = [a.length, b.length];
  for (let d = trace.length - 1; d >= 0; d--) {
    const furthest = trace[d];
    const k = x - y;
    const from = down(furthest, k, d) ? k + 1 : k - 1;
    const fromX = furthest[from + MIDDLE];
    const fromY = fromX - from;
    for (; x > fromX && y > fromY; x--, y--) lines.push(`  ${a[x - 1]}`);
    if (d > 0) lines.push(x === fromX ? `- ${b[y - 1]}` : `+ ${a[x - 1]}`);
    [x, y] = [fromX, fromY];
  }
  return lines.reverse();
}

// Leaves out equal lines that are far from any difference.
function fold(lines) {
  const near = new Array(lines.length).fill(false);
  lines.forEach((line, k) => {
    if (line.startsWith("  ")) return;
    for (let j = max(0, k - AROUND); j <= min(lines.length - 1, k + AROUND); j++) near[j] = true;
  });
  const out = [];
  for (let k = 0; k < lines.length; k++) {
    if (out.length >= LINES) {
      out.push(`  ... ${plural(lines.length - k, "more line")}`);
      break;
    }
    const alone = (k === 0 || near[k - 1]) && (k === lines.length - 1 || near[k + 1]);
    if (near[k] || alone) out.push(lines[k]); // "..." in place of one line would save nothing
    else if (out[out.length - 1] !== "  ...") out.push("  ...");
  }
  return out;
}
