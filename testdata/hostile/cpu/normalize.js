// The normal form of a long text.
// isolated: limit builtin
// in process: limit builtin
export default () => {
  for (;;) "\u00e9".repeat(6e6).normalize("NFD");
};
