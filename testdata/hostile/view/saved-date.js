// A Date whose methods run for ever.
// isolated: script TypeError
// in process: script TypeError
export default (self) => {
  const d = new Date(0);
  d.getTime = d.toISOString = d.valueOf = d[Symbol.toPrimitive] = () => { for (;;); };
  self.x = d;
};
