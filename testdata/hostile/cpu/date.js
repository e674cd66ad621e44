// A loop around the clock: waiting is no way around the limit.
// isolated: time
// in process: time
export default () => {
  while (Date.now() >= 0);
};
