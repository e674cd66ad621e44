// A Promise.resolve that throws.
// isolated: ok
// in process: ok
export default async (self) => {
  Promise.resolve = () => { throw new Error("polluted"); };
  await null;
};
