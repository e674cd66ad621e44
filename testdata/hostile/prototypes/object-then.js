// Everything is a thenable.
// isolated: ok
// in process: ok
export default async (self) => {
  Object.prototype.then = function (resolve) { resolve = null; };
};
