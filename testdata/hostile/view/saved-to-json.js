// A toJSON that runs for ever is not asked.
// isolated: error cannot be saved
// in process: error cannot be saved
export default (self) => {
  self.x = { toJSON() { for (;;); } };
};
