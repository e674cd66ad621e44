package effect

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"
)

const (
	closeGrace   = 3 * time.Second  // from the polite signal to the kill when a Performer closes
	killTimeout  = 10 * time.Second // the same for process.kill, unless it says otherwise
	killDeadline = 5 * time.Second  // for a killed process to be gone
)

type spawnArgs struct {
	commandArgs
	Detached bool   `json:"detached"`
	Stdout   string `json:"stdout"` // a file to append to; empty: ignored
	Stderr   string `json:"stderr"`
}

// identity names one process for all time: ids of processes are reused, an id with a start time is not.
type identity struct {
	PID       int    `json:"pid"`
	StartTime string `json:"startTime"` // opaque
}

// spawn starts a program and does not wait for it.
func (p *call) spawn(_ context.Context, a *spawnArgs) (any, error) {
	cmd, err := p.prepare(context.Background(), &a.commandArgs)
	if err != nil {
		return nil, err
	}
	for _, stream := range []struct {
		path string
		set  func(*os.File)
	}{
		{a.Stdout, func(f *os.File) { cmd.Stdout = f }},
		{a.Stderr, func(f *os.File) { cmd.Stderr = f }},
	} {
		if stream.path == "" {
			continue
		}
		file, err := p.openLog(stream.path)
		if err != nil {
			return nil, err
		}
		defer file.Close() // the child has its own
		stream.set(file)
	}
	isolate(cmd, a.Detached)
	ended, err := p.program()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		ended()
		return nil, spawnError(err, a.Command)
	}
	c := &child{cmd: cmd, ended: ended, gone: make(chan struct{})}
	started, _, err := startTime(cmd.Process.Pid) // nobody has waited for it yet: the id is certainly its own
	if err != nil {
		_ = killGroup(cmd.Process)
		go c.wait(p.Performer)
		return nil, &Error{Name: "Error", Message: fmt.Sprintf("%s was killed: its start time is unknown: %v", clean(a.Command), err)}
	}
	if !a.Detached {
		p.mu.Lock()
		p.children[c] = struct{}{}
		p.mu.Unlock()
	}
	go c.wait(p.Performer) // a detached one too: it would stay a zombie for as long as this process lives
	return &identity{PID: cmd.Process.Pid, StartTime: started}, nil
}

func (p *call) openLog(path string) (*os.File, error) {
	var file *os.File
	err := p.use("write", "open", path, followed, func(pl *place) (err error) {
		file, err = pl.openFile(os.O_WRONLY | os.O_CREATE | os.O_APPEND)
		return err
	})
	return file, err
}

// child is a process that spawn started.
type child struct {
	cmd   *exec.Cmd
	ended func()
	gone  chan struct{} // closed when it has ended
}

func (c *child) wait(p *Performer) {
	_ = c.cmd.Wait() // how it ended is nobody's concern
	c.ended()
	p.mu.Lock()
	delete(p.children, c)
	p.mu.Unlock()
	close(c.gone)
}

// end stops the child and what it left in its process group: politely, then by force.
func (c *child) end() {
	_ = terminateGroup(c.cmd.Process)
	timer := time.NewTimer(closeGrace)
	defer timer.Stop()
	select {
	case <-c.gone:
	case <-timer.C:
	}
	_ = killGroup(c.cmd.Process)
	<-c.gone
}

type killArgs struct {
	identity
	Signal  string   `json:"signal"`  // empty: SIGTERM
	Timeout *float64 `json:"timeout"` // milliseconds until SIGKILL; absent: killTimeout
}

type killResult struct {
	Killed bool `json:"killed"` // false: it had gone before
}

// kill ends the process, if it is the one that was started at that time, and returns when it is gone.
func (p *call) kill(ctx context.Context, a *killArgs) (any, error) {
	if err := p.checkIdentity("kill", &a.identity); err != nil {
		return nil, err
	}
	signal, known := signals[a.Signal]
	if !known {
		return nil, typeError("signal %q does not end a process: there are SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGKILL", a.Signal)
	}
	timeout := killTimeout
	if a.Timeout != nil {
		if *a.Timeout < 0 {
			return nil, typeError("timeout must not be negative, got %v", *a.Timeout)
		}
		timeout = milliseconds(*a.Timeout)
	}
	// The handle is taken before the look at the start time: where handles are exact (pidfd, Windows),
	// the signal cannot hit another process that gets the id in between.
	process, err := os.FindProcess(a.PID)
	if err != nil {
		return &killResult{false}, nil
	}
	defer process.Release()
	if running, err := isRunning(a.identity); err != nil || !running {
		return &killResult{false}, err
	}
	signalErr := process.Signal(signal)
	if errors.Is(signalErr, os.ErrProcessDone) {
		return &killResult{false}, nil
	} else if signalErr != nil {
		return nil, fileError(signalErr, fmt.Sprintf("kill %d", a.PID))
	}
	gone, err := awaitEnd(ctx, a.identity, timeout)
	if err == nil && !gone {
		killLed(process)
		gone, err = awaitEnd(ctx, a.identity, killDeadline)
	}
	if err != nil {
		return nil, err
	}
	if !gone {
		return nil, &Error{Name: "Error", Code: "ETIMEDOUT", Message: fmt.Sprintf("kill %d: the process does not end", a.PID)}
	}
	return &killResult{true}, nil
}

// alive tells whether the process that was started at that time still runs.
func (p *call) alive(_ context.Context, a *identity) (any, error) {
	if err := p.checkIdentity("look at", a); err != nil {
		return nil, err
	}
	running, err := isRunning(*a)
	return struct {
		Alive bool `json:"alive"`
	}{running}, err
}

func (p *call) checkIdentity(verb string, id *identity) error {
	if err := p.policy.processes(fmt.Sprintf("%s process %d", verb, id.PID)); err != nil {
		return err
	}
	if id.PID <= 0 || id.StartTime == "" { // 0 and below would mean groups, or all processes
		return typeError("a process is { pid, startTime } as spawn returned them, got pid %d, startTime %q", id.PID, id.StartTime)
	}
	return nil
}

// isRunning reports whether the process runs that started at that time. An error means that nobody
// knows: a process must not be taken for gone because, say, there are too many open files.
func isRunning(id identity) (bool, error) {
	started, running, err := startTime(id.PID)
	if errors.Is(err, os.ErrProcessDone) {
		return false, nil
	}
	if err != nil {
		return false, fileError(err, fmt.Sprintf("look at process %d", id.PID))
	}
	return running && started == id.StartTime, nil
}

// awaitEnd waits until the process is gone, at most for limit. Nobody tells about the end of a
// process that is not a child, so it looks, less and less often.
func awaitEnd(ctx context.Context, id identity, limit time.Duration) (gone bool, err error) {
	deadline := time.NewTimer(limit)
	defer deadline.Stop()
	for pause := time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
		if running, err := isRunning(id); err != nil || !running {
			return err == nil, err
		}
		select {
		case <-time.After(pause):
		case <-deadline.C:
			return false, nil
		case <-ctx.Done():
			return false, cancelled(ctx, fmt.Sprintf("kill %d", id.PID))
		}
	}
}
