// Methods of arrays that throw.
// isolated: ok
// in process: ok
export default (self) => {
  for (const name of Object.getOwnPropertyNames(Array.prototype)) {
    if (typeof Array.prototype[name] === "function" && name !== "constructor") Array.prototype[name] = () => { throw new Error("polluted"); };
  }
  self.x = [1, 2, 3];
};
