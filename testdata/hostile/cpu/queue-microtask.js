// queueMicrotask for ever.
// isolated: time
// in process: time
export default () => {
  const again = () => queueMicrotask(again);
  again();
  return new Promise(() => {});
};
