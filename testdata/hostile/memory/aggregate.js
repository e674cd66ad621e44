// An AggregateError of itself.
// isolated: script AggregateError
// in process: script AggregateError
export default () => {
  const e = new AggregateError([], "itself");
  e.errors = [e, e];
  e.cause = e;
  throw e;
};
