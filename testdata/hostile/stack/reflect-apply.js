// A recursion through Reflect.apply.
// isolated: depth
// in process: depth
export default () => {
  const f = () => Reflect.apply(f, null, []);
  return f();
};
