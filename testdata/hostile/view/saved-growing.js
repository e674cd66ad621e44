// A value that grows while it is read.
// isolated: ok
// in process: ok
export default (self) => {
  const a = [];
  a.push({ get more() { a.push({}); return 1; } });
  self.x = a;
};
