// Intervals of no time.
// isolated: time
// in process: time
export default () => new Promise(() => { for (let i = 0; i < 100; i++) setInterval(() => {}, 0); });
