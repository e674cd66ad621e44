// A promise that nobody resolves.
// isolated: deadlock
// in process: deadlock
export default () => new Promise(() => {});
