// A million proxies, one around the other.
// isolated: limit nesting
// in process: limit nesting
export default () => {
  let p = {};
  for (let i = 0; i < 1e6; i++) p = new Proxy(p, {});
  return p.x;
};
