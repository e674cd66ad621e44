// A structured clone of an object with 2^40 ways through it is as small as the object.
// isolated: ok
// in process: ok
export default () => {
  let o = {};
  for (let i = 0; i < 40; i++) o = { a: o, b: o };
  if (structuredClone(o).a !== structuredClone(o).a && structuredClone(o).a.a === undefined) throw new Error("lost something");
};
