// A species whose constructor runs for ever.
// isolated: time
// in process: time
export default () => {
  const r = /a/;
  r.constructor = { get [Symbol.species]() { for (;;); } };
  return "a".split(r);
};
