// Timers that are left behind end with the deployment's phase.
// isolated: ok
// in process: ok
export default () => {
  for (let i = 0; i < 100; i++) setInterval(() => { for (;;); }, 1e6);
};
