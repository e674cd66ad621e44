// A structured clone of five thousand levels.
// isolated: ok
// in process: ok
export default () => {
  let o = {};
  for (let i = 0; i < 5e3; i++) o = { o };
  structuredClone(o);
};
