// "sexton/process": programs and processes.
const { perform, check, buffer, PermissionDenied } = host;

function command(where, program, args, options) {
  return {
    __proto__: null,
    command: check.string(`${where}: command`, program),
    args: check.strings(`${where}: args`, args),
    cwd: options.cwd === undefined ? undefined : check.string(`${where}: cwd`, options.cwd),
    env: check.record(`${where}: env`, options.env),
  };
}

function identity(where, process) {
  if (typeof process !== "object" || process === null || typeof process.pid !== "number" || typeof process.startTime !== "string") {
    check.fail(`${where}: process`, "{ pid, startTime } as spawn returned it", process);
  }
  return { __proto__: null, pid: process.pid, startTime: process.startTime };
}

// Where the output of a process goes: into a file, or nowhere.
function file(where, value) {
  return value === undefined || value === "ignore" ? undefined : check.string(where, value);
}

return {
  PermissionDenied,

  // Runs a program to its end. There is no shell. Resolves with { stdout, stderr, exitCode: 0 }; a program
  // that fails rejects with an error that has those, and signal.
  async exec(program, args = [], options = undefined) {
    const o = check.options("exec", options, ["cwd", "env", "input", "timeout", "encoding", "signal", "of"]);
    const request = command("exec", program, args, o);
    const binary = o.encoding === "buffer";
    if (!binary && o.encoding !== undefined && o.encoding !== "utf8") check.fail("exec: encoding", '"utf8" or "buffer"', o.encoding);
    if (binary) request.encoding = "base64";
    if (o.input !== undefined) {
      const bytes = check.isBytes(o.input);
      if (!bytes && typeof o.input !== "string") check.fail("exec: input", "a string or a Uint8Array", o.input);
      request.input = o.input;
      if (bytes) request.inputEncoding = "base64";
    }
    request.timeout = check.milliseconds("exec: timeout", o.timeout);
    const signal = check.signal("exec: signal", o.signal), of = check.of("exec: of", o.of);
    if (signal !== undefined) signal.throwIfAborted();
    const decode = (outcome) => {
      if (binary && typeof outcome.stdout === "string") {
        outcome.stdout = buffer(outcome.stdout);
        outcome.stderr = buffer(outcome.stderr);
      }
      return outcome;
    };
    try {
      const { stdout, stderr, exitCode } = decode(await perform("process.exec", request, of, false, signal));
      return { stdout, stderr, exitCode };
    } catch (error) {
      throw decode(error);
    }
  },

  // Starts a program and resolves with { pid, startTime }. It ends with the deployment unless detached.
  async spawn(program, args = [], options = undefined) {
    const o = check.options("spawn", options, ["cwd", "env", "detached", "stdout", "stderr", "of"]);
    const request = command("spawn", program, args, o);
    request.detached = check.boolean("spawn: detached", o.detached);
    request.stdout = file("spawn: stdout", o.stdout);
    request.stderr = file("spawn: stderr", o.stderr);
    return perform("process.spawn", request, check.of("spawn: of", o.of));
  },

  // Ends a process and resolves when it is gone: with true, or with false if it had gone before.
  async kill(process, options = undefined) {
    const o = check.options("kill", options, ["signal", "timeout", "of"]);
    const request = identity("kill", process);
    request.signal = o.signal === undefined ? undefined : check.string("kill: signal", o.signal);
    request.timeout = check.milliseconds("kill: timeout", o.timeout);
    return (await perform("process.kill", request, check.of("kill: of", o.of))).killed;
  },

  // Whether the process still runs.
  async alive(process) {
    return (await perform("process.alive", identity("alive", process))).alive;
  },

  // The value of an environment variable, undefined if it is not set.
  async env(name) {
    return (await perform("process.env", { __proto__: null, name: check.string("env: name", name) })) ?? undefined;
  },
};
