// A then that is a getter that throws.
// isolated: script Error
// in process: script Error
export default () => ({ get then() { throw new Error("then what"); } });
