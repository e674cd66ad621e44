// An endless loop in a promise job, after deploy() has returned.
// isolated: ok
// in process: ok
// hurry
export default () => {
  Promise.resolve().then(() => { for (;;); });
};
