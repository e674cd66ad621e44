// A saved value of two hundred thousand levels.
// isolated: error nest
// in process: error nest
export default (self) => {
  let o = {};
  for (let i = 0; i < 2e5; i++) o = { o };
  self.x = o;
};
