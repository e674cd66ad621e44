// A million nested look-aheads.
// isolated: limit builtin
// in process: limit builtin
export default () => new RegExp("(?=a)" + "(".repeat(1e6) + ")".repeat(1e6));
