// The limit of CPU time, which is of the deployment and not of one method.
// isolated: limit cpu | died
// in process: never
// limits: cpu=1s
// slow
export default () => {
  for (;;);
};
