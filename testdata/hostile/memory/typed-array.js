// A typed array of a tebibyte.
// isolated: limit memory
// in process: limit memory
export default () => new Uint8Array(2 ** 40).length;
