// Delays that are no numbers, negative, infinite, or run for ever when asked.
// isolated: time
// in process: time
export default () => {
  for (const d of [NaN, -1, Infinity, -Infinity, "x", null, 2 ** 53]) clearTimeout(setTimeout(() => {}, d));
  setTimeout(() => {}, { valueOf() { for (;;); } });
};
