// What is thrown becomes a text by running for ever.
// isolated: script
// in process: script
export default () => {
  throw { toString() { for (;;); }, get message() { for (;;); }, get name() { for (;;); }, get stack() { for (;;); } };
};
