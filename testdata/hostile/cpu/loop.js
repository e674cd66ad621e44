// The plain endless loop.
// isolated: time
// in process: time
export default () => {
  for (;;);
};
