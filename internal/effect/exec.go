package effect

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// pipeDelay is how long exec waits, after its program has ended, for the pipes that a process which
// it left behind may hold.
const pipeDelay = 2 * time.Second

type execArgs struct {
	commandArgs
	Input         *string `json:"input"` // standard input; absent: empty
	InputEncoding string  `json:"inputEncoding"`
	Timeout       float64 `json:"timeout"`  // milliseconds; 0: none
	Encoding      string  `json:"encoding"` // of stdout and stderr
}

// execResult is also the detail of the error of a program that failed.
type execResult struct {
	Stdout   string  `json:"stdout"`
	Stderr   string  `json:"stderr"`
	ExitCode *int    `json:"exitCode"` // null if a signal ended it
	Signal   *string `json:"signal"`   // "SIGKILL"; null if none did
}

var (
	errOutput  = errors.New("too much output")
	errTimeout = errors.New("time is up")
)

// exec runs a program to its end.
func (p *call) exec(ctx context.Context, a *execArgs) (any, error) {
	if _, err := encode(nil, a.Encoding); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(p.open, func() { cancel(errClosed) })()
	if a.Timeout < 0 {
		return nil, typeError("timeout must not be negative, got %v", a.Timeout)
	}
	if a.Timeout > 0 {
		timer := time.AfterFunc(milliseconds(a.Timeout), func() { cancel(errTimeout) })
		defer timer.Stop()
	}
	cmd, err := p.prepare(ctx, &a.commandArgs)
	if err != nil {
		return nil, err
	}
	if a.Input != nil {
		input, err := decode(*a.Input, a.InputEncoding)
		if err != nil {
			return nil, err
		}
		cmd.Stdin = bytes.NewReader(input)
	}
	overflow := func() { cancel(errOutput) }
	stdout, stderr := &output{max: p.maxOutput, overflow: overflow}, &output{max: p.maxOutput, overflow: overflow}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	isolate(cmd, false)
	cmd.Cancel = func() error { return killGroup(cmd.Process) }
	cmd.WaitDelay = pipeDelay
	ended, err := p.program()
	if err != nil {
		return nil, err
	}
	defer ended()
	if err := cmd.Start(); err != nil {
		if ctx.Err() != nil {
			return nil, cancelled(ctx, a.Command)
		}
		return nil, spawnError(err, a.Command)
	}
	waitErr := cmd.Wait()
	result, err := newExecResult(cmd, stdout, stderr, a.Encoding)
	if err != nil {
		return nil, err
	}
	return result, execError(ctx, cmd, waitErr, result, p.maxOutput)
}

func newExecResult(cmd *exec.Cmd, stdout, stderr *output, encoding string) (r *execResult, err error) {
	r = new(execResult)
	if r.Stdout, err = encode(stdout.data, encoding); err != nil {
		return nil, err
	}
	if r.Stderr, err = encode(stderr.data, encoding); err != nil {
		return nil, err
	}
	if name := signalOf(cmd.ProcessState); name != "" {
		r.Signal = &name
	} else {
		code := cmd.ProcessState.ExitCode()
		r.ExitCode = &code
	}
	return r, nil
}

// execError is nil for a program that ended well, even where a cancellation came at the same time:
// what it did is done.
func execError(ctx context.Context, cmd *exec.Cmd, waitErr error, r *execResult, maxOutput int) error {
	name := clean(cmd.Args[0])
	type failed struct {
		Code *int `json:"code,omitempty"`
		*execResult
	}
	cause := context.Cause(ctx)
	switch {
	case errors.Is(cause, errOutput):
		return &Error{Name: "RangeError", Code: "ERR_CHILD_PROCESS_STDIO_MAXBUFFER", Message: fmt.Sprintf(
			"%s was killed: it wrote more than %s; let it write to a file", name, size(maxOutput))}
	case cmd.ProcessState.Success() && (waitErr == nil || errors.Is(waitErr, exec.ErrWaitDelay) || cause != nil):
		return nil
	case errors.Is(cause, errTimeout):
		e := &Error{Name: "Error", Code: "ETIMEDOUT", Message: name + " was killed: it did not end in the time given"}
		return e.withDetail(failed{nil, r})
	case cause != nil:
		return cancelled(ctx, name+" was killed").withDetail(failed{nil, r})
	case cmd.ProcessState.Success(): // its input or output could not be copied
		return &Error{Name: "Error", Code: "EIO", Message: fmt.Sprintf("%s: %v", name, waitErr)}
	}
	var how string
	if r.Signal != nil {
		how = "was ended by " + *r.Signal
	} else {
		how = fmt.Sprintf("exited with code %d", *r.ExitCode)
	}
	e := &Error{Name: "Error", Message: name + " " + how + said(r.Stderr)}
	return e.withDetail(failed{r.ExitCode, r})
}

// said is the end of what a program wrote to standard error, for a message.
func said(stderr string) string {
	const most = 400
	text := strings.TrimSpace(stderr)
	if text == "" {
		return ""
	}
	if len(text) > most {
		text = "…" + clean(text[len(text)-most:])
	}
	return ": " + text
}

func size(n int) string {
	if n >= 1<<20 && n%(1<<20) == 0 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}

// milliseconds is a time that a script gave; beyond a year it is one year.
func milliseconds(ms float64) time.Duration {
	const year = 365 * 24 * time.Hour
	if d := ms * float64(time.Millisecond); d < float64(year) {
		return time.Duration(d)
	}
	return year
}

// output keeps what a program writes, up to a limit. One goroutine writes to it.
type output struct {
	data     []byte
	max      int
	overflow func()
}

func (o *output) Write(data []byte) (int, error) {
	if len(o.data)+len(data) > o.max {
		o.overflow()
		return 0, errOutput
	}
	o.data = append(o.data, data...)
	return len(data), nil
}
