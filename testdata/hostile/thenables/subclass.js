// A subclass of Promise whose then resolves before it is asked.
// isolated: ok
// in process: ok
export default () => {
  class Eager extends Promise { then(a, b) { a?.(1); b?.(2); return super.then(a, b); } }
  return new Eager((resolve) => resolve(new Eager(() => {})));
};
