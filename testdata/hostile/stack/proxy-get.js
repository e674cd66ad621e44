// A proxy whose trap asks the proxy.
// isolated: depth
// in process: depth
export default () => {
  const p = new Proxy({}, { get: (_, key) => p[key] });
  return p.x;
};
