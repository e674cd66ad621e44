// Ten million nested brackets of JSON.
// isolated: limit nesting
// in process: limit nesting
export default () => JSON.parse("[".repeat(1e7) + "]".repeat(1e7));
