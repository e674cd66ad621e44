// A thenable that throws after it has resolved.
// isolated: ok
// in process: ok
export default () => ({ then(resolve) { resolve(1); throw new Error("late"); } });
