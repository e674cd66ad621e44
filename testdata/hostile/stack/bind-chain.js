// A function bound a million times.
// isolated: depth | limit | died | time
// in process: never
export default () => {
  let f = () => 0;
  for (let i = 0; i < 1e6; i++) f = f.bind(null);
  return f();
};
