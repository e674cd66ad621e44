// Error.prepareStackTrace of V8 means nothing here.
// isolated: script TypeError
// in process: script TypeError
export default () => {
  Error.prepareStackTrace = () => { for (;;); };
  Error.stackTraceLimit = Infinity;
  null.x;
};
