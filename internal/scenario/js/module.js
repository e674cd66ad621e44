// What the host gets. Only `exports` is for scripts.
return {
  exports: { default: test, test, it: test, describe, suite: describe, before, after, beforeEach, afterEach, assert, trace },
  file: startFile,
  run,
  event: (...words) => addEvent(words.join(" ")),
  fault,
};
