// JSON.stringify is quadratic in depth.
// isolated: limit nesting | time
// in process: limit nesting | time
export default () => {
  let o = [];
  for (let i = 0; i < 1e5; i++) o = [o];
  return JSON.stringify(o).length;
};
