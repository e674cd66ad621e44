// An asynchronous iteration without an end.
// isolated: time
// in process: time
export default async () => {
  for await (const x of { [Symbol.asyncIterator]: () => ({ next: async () => ({ value: 1, done: false }) }) });
};
