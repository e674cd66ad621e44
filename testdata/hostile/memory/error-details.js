// An error with many large properties, and errors of errors: what is told of it is bounded.
// isolated: script TypeError
// in process: script TypeError
export default () => {
  const error = new TypeError("large");
  for (let i = 0; i < 1000; i++) error["property" + i] = "x".repeat(1e4);
  error.itself = error;
  error.errors = new Array(1e5).fill(new AggregateError(new Array(1e4).fill(error)));
  throw error;
};
