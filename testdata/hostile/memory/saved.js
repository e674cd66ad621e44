// A value that is a gigabyte when it is saved: one text, a thousand times.
// isolated: limit | died | time | error
// in process: never
export default (self) => {
  self.x = new Array(1000).fill("x".repeat(1 << 20));
};
