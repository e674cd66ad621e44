// Keys of a proxy that says that it has 2^31 of them.
// isolated: script InternalError
// in process: script InternalError
export default () => Object.keys(new Proxy({}, { ownKeys: () => ({ length: 2 ** 31 }) }));
