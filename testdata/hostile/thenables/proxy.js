// A promise behind a proxy.
// isolated: time
// in process: time
export default () => new Proxy(Promise.resolve(), { get(_, key) { if (key === "then") return () => { for (;;); }; } });
