// A promise that waits for a timer in the far future.
// isolated: time
// in process: time
export default () => new Promise((resolve) => setTimeout(resolve, 2 ** 31 - 1));
