// More timers than there may be.
// isolated: limit timers
// in process: limit timers
export default () => {
  for (let i = 0; i < 1e6; i++) setTimeout(() => {}, 1e9);
};
