// An unhandled rejection with a value that runs for ever when it is looked at.
// isolated: script
// in process: script
export default () => {
  Promise.reject({ get message() { for (;;); }, toString() { for (;;); } });
};
