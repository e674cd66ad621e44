// A declared property that is taken away.
// isolated: script TypeError
// in process: script TypeError
export default (self) => {
  delete self.x;
};
