// A getter that throws where a snapshot is taken.
// isolated: script Error
// in process: script Error
export default (self) => {
  self.x = { get deep() { throw new Error("not now"); } };
};
