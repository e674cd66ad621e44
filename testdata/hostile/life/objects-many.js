// Objects without end.
// isolated: limit objects | time
// in process: limit objects | time
export default (self) => {
  for (;;) self.items.push(new self.constructor({}, self));
};
