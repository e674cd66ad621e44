// A long text, split into its characters.
// isolated: limit memory | died | time
// in process: limit memory
export default () => "x".repeat(5e7).split("").length;
