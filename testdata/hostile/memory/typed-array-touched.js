// A typed array that is allocated cheaply and costs when it is touched.
// isolated: limit memory
// in process: limit memory
export default () => new Uint8Array(2 ** 33).fill(1).length;
