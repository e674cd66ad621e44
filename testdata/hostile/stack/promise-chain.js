// A promise that is resolved by a promise, twenty thousand times.
// isolated: ok
// in process: ok
export default async () => {
  let p = Promise.resolve(1);
  for (let i = 0; i < 2e4; i++) p = Promise.resolve(p).then((x) => x);
  await p;
};
