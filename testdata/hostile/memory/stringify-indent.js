// JSON whose indentation is most of it.
// isolated: limit | time | died
// in process: never
export default () => {
  let o = {};
  for (let i = 0; i < 5000; i++) o = [o];
  return JSON.stringify(new Array(20000).fill(o), null, 10).length;
};
