// A thenable that never resolves.
// isolated: deadlock
// in process: deadlock
export default () => ({ then() {} });
