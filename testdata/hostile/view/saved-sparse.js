// An array of 2^32 - 1 holes.
// isolated: error sparse array
// in process: error sparse array
export default (self) => {
  self.x = new Array(2 ** 32 - 1);
};
