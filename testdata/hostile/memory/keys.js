// An object with ever more keys.
// isolated: limit memory | died | time
// in process: limit memory | time
export default () => {
  const o = {};
  for (let i = 0; ; i++) o["key" + i] = i;
};
