// A recursion of async functions.
// isolated: depth
// in process: depth
export default () => {
  const f = async () => { await f(); };
  return f();
};
