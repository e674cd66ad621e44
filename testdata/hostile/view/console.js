// Printing what runs for ever when it is looked at.
// isolated: ok
// in process: ok
export default () => {
  const forever = () => { for (;;); };
  console.log({ get x() { for (;;); }, toString: forever, toJSON: forever, [Symbol.toPrimitive]: forever, inspect: forever });
  console.error(new Proxy({}, { get: forever, ownKeys: forever, getPrototypeOf: forever, getOwnPropertyDescriptor: forever }));
  console.log(new (class { get [Symbol.toStringTag]() { for (;;); } })(), Object.defineProperty(() => {}, "name", { get: forever }));
};
