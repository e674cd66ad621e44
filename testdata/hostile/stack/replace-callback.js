// A recursion through the callback of replace.
// isolated: depth
// in process: depth
export default () => {
  const f = () => "a".replace(/a/, f);
  return f();
};
