// setImmediate for ever.
// isolated: time
// in process: time
export default () => new Promise(() => {
  const again = () => setImmediate(again);
  again();
});
