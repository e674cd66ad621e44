// Nothing in the language sleeps.
// isolated: ok
// in process: ok
export default () => {
  if (typeof Atomics === "object" && Atomics.wait) throw new Error("Atomics.wait can block the process");
};
