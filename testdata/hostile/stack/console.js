// A value of two hundred thousand levels, printed.
// isolated: ok
// in process: ok
export default () => {
  let o = {};
  for (let i = 0; i < 2e5; i++) o = { o };
  console.log(o);
};
