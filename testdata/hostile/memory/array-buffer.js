// An ArrayBuffer of a tebibyte.
// isolated: limit memory
// in process: limit memory
export default () => new ArrayBuffer(2 ** 40).byteLength;
