// An exec of its own that runs for ever, called by the built-ins.
// isolated: time
// in process: time
export default () => {
  const r = /a/;
  r.exec = () => { for (;;); };
  return "a".replace(r, "b");
};
