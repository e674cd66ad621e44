// An iterator that does not let one leave.
// isolated: time
// in process: time
export default () => {
  for (const x of { [Symbol.iterator]: () => ({ next: () => ({ value: 1, done: false }), return() { for (;;); } }) }) break;
};
