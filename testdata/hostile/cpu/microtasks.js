// Microtasks that make microtasks.
// isolated: time
// in process: time
export default () => {
  const again = () => { Promise.resolve().then(again); };
  again();
  return new Promise(() => {});
};
