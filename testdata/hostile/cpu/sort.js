// Three million numbers, sorted again and again in one call each.
// isolated: time | limit
// in process: never
export default () => {
  const a = Array.from({ length: 3e6 }, (_, i) => (i * 7919) % 3000017);
  for (;;) a.sort().reverse();
};
