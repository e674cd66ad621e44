// Everything becomes a text by running for ever.
// isolated: ok
// in process: ok
export default (self) => {
  Object.prototype[Symbol.toPrimitive] = () => { for (;;); };
  self.x = { a: 1 };
  console.log(self, {}, [{}]);
};
