// Many rejections that nobody handles.
// isolated: script Error
// in process: script Error
export default () => {
  for (let i = 0; i < 10000; i++) Promise.reject(new Error("unhandled " + i));
};
