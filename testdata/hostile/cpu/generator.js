// A generator that yields nothing for ever.
// isolated: time
// in process: time
export default () => {
  for (const x of (function* () { for (;;) yield; })());
};
