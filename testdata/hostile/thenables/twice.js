// A thenable that resolves twice, then rejects.
// isolated: ok
// in process: ok
export default () => ({ then(resolve, reject) { resolve(1); resolve(2); reject(new Error("late")); } });
