// JSON is replaced.
// isolated: ok
// in process: ok
export default (self) => {
  JSON.stringify = JSON.parse = () => { throw new Error("polluted"); };
  self.x = { a: 1 };
};
