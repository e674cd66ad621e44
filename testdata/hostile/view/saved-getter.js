// A getter that runs for ever, where a snapshot is taken.
// isolated: time | script | error
// in process: time | script | error
export default (self) => {
  self.x = { get deep() { for (;;); } };
};
