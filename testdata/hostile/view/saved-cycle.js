// A value in itself.
// isolated: error data nests deep
// in process: error data nests deep
export default (self) => {
  const o = {};
  o.o = [o];
  self.x = o;
};
