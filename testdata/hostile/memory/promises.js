// Each promise makes two.
// isolated: limit memory | died | time
// in process: limit memory | time
export default () => {
  const more = () => Promise.all([Promise.resolve().then(more), Promise.resolve().then(more)]);
  return more();
};
