// A loop that awaits.
// isolated: time
// in process: time
export default async () => {
  for (;;) await null;
};
