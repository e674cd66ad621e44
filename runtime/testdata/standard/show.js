// Runs a snippet and tells what came of it: its value as JSON, or the name of what it threw and the code that the
// standard gives it. The tests run this in the runtime, and record.mjs in Node.
async (snippet) => {
  try {
    const value = await new Function(`return (async () => (${snippet}))()`)();
    return value === undefined ? "undefined" : JSON.stringify(value);
  } catch (error) {
    return `throws ${error.name}` + (typeof error.code === "number" ? ` ${error.code}` : "");
  }
}
