package effect

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestExec(t *testing.T) {
	p := newPerformer(t, &PerformerOptions{})
	run := func(args object, helper ...string) object {
		args["command"], args["args"] = self(t), append([]string{"helper"}, helper...)
		return args
	}
	require.Equal(t, object{"stdout": "out", "stderr": "err", "exitCode": 0.0, "signal": nil},
		must(t, p, "process.exec", run(object{}, "say", "out", "err", "0")))
	require.Equal(t, "in", must(t, p, "process.exec", run(object{"input": "in"}, "cat"))["stdout"])
	require.Equal(t, "", must(t, p, "process.exec", run(object{}, "cat"))["stdout"])
	require.Equal(t, "\uFFFD\x00a", must(t, p, "process.exec", run(object{}, "raw"))["stdout"])
	require.Equal(t, "/wBh", must(t, p, "process.exec", run(object{"encoding": "base64"}, "raw"))["stdout"])
	require.Equal(t, "/wBh", must(t, p, "process.exec", run(object{"encoding": "base64", "input": "/wBh", "inputEncoding": "base64"}, "cat"))["stdout"])

	var args []string
	hostile := []string{"$HOME", "*", "a b", `"`, "'", "", "; echo x", "%PATH%"}
	out := must(t, p, "process.exec", run(object{}, append([]string{"args"}, hostile...)...))["stdout"].(string)
	require.NoError(t, json.Unmarshal([]byte(out), &args))
	require.Equal(t, append([]string{self(t)}, hostile...), args, "no shell reads the arguments")

	require.NoError(t, os.Mkdir(filepath.Join(p.Dir, "sub"), 0o777))
	require.Equal(t, p.Dir, must(t, p, "process.exec", run(object{}, "cwd"))["stdout"])
	require.Equal(t, filepath.Join(p.Dir, "sub"), must(t, p, "process.exec", run(object{"cwd": "sub"}, "cwd"))["stdout"])
}

func TestExecFailures(t *testing.T) {
	p := newPerformer(t, &PerformerOptions{MaxOutput: 1000, Permissions: &Permissions{Run: []string{self(t), "absent"}}})
	run := func(args object, helper ...string) *Error {
		args["command"], args["args"] = self(t), append([]string{"helper"}, helper...)
		result, err := do(t, p, "process.exec", args)
		require.NotNil(t, err, "%v", result)
		return err
	}
	err := run(object{}, "say", "out", "it broke\n", "3")
	require.Equal(t, "Error", err.Name)
	require.Equal(t, self(t)+" exited with code 3: it broke", err.Message)
	require.Equal(t, object{"code": 3.0, "exitCode": 3.0, "signal": nil, "stdout": "out", "stderr": "it broke\n"}, detail(t, err))

	if runtime.GOOS != "windows" {
		err = run(object{}, "die")
		require.Equal(t, self(t)+" was ended by SIGKILL", err.Message)
		require.Equal(t, object{"exitCode": nil, "signal": "SIGKILL", "stdout": "", "stderr": ""}, detail(t, err))
	}

	err = run(object{}, "flood", "100000")
	require.Equal(t, "ERR_CHILD_PROCESS_STDIO_MAXBUFFER", err.Code)
	require.Equal(t, self(t)+" was killed: it wrote more than 1000 bytes; let it write to a file", err.Message)
	require.Len(t, must(t, p, "process.exec", object{"command": self(t), "args": []string{"helper", "flood", "1000"}})["stdout"], 1000)

	require.Equal(t, "ENOENT: no such file or directory, chdir 'nowhere'", run(object{"cwd": "nowhere"}, "cwd").Message)
	require.Equal(t, "TypeError", run(object{"encoding": "latin1"}, "cwd").Name)
	require.Equal(t, "TypeError", run(object{"timeout": -1}, "cwd").Name)
	require.Equal(t, "TypeError", run(object{"shell": true}, "cwd").Name)
	require.Equal(t, "TypeError", run(object{"env": object{"A=": ""}}, "env").Name)
	require.Equal(t, "PermissionDenied", run(object{"env": object{"LD_PRELOAD": "x.so"}}, "env").Name)

	_, err = do(t, p, "process.exec", object{"command": "absent"})
	require.Equal(t, &Error{Name: "Error", Code: "ENOENT", Message: "ENOENT: spawn 'absent': no such program in PATH"}, err)
	_, err = do(t, p, "process.exec", object{"command": "forbidden"})
	require.Equal(t, "PermissionDenied", err.Name)
	_, err = do(t, p, "process.dance", object{})
	require.Equal(t, "TypeError", err.Name)
}

func TestExecTimeoutAndCancel(t *testing.T) {
	p := newPerformer(t, &PerformerOptions{})
	g := newGuests(t)
	type answer struct{ err *Error }
	start := func(ctx context.Context, timeout float64) <-chan answer {
		done := make(chan answer, 1)
		go func() {
			_, err := doContext(ctx, t, p, "process.exec", object{"command": self(t), "args": []string{"helper", "family", g.address()}, "timeout": timeout})
			done <- answer{err}
		}()
		return done
	}

	ctx, cancel := context.WithCancel(context.Background())
	done := start(ctx, 0)
	one, two := g.arrival(), g.arrival()
	cancel()
	err := (<-done).err
	require.Equal(t, "ABORT_ERR", err.Code)
	require.Equal(t, "AbortError", err.Name)
	<-one
	<-two // what it had started was killed with it

	done = start(context.Background(), 500)
	err = (<-done).err
	require.Equal(t, "ETIMEDOUT", err.Code)
	require.Equal(t, self(t)+" was killed: it did not end in the time given", err.Message)

	_, err = doContext(ctx, t, p, "process.exec", object{"command": self(t), "args": []string{"helper", "cat"}})
	require.Equal(t, "ABORT_ERR", err.Code)
}

// A program that leaves a process behind is done when it is done.
func TestExecDoesNotWaitForWhatIsLeft(t *testing.T) {
	p := newPerformer(t, &PerformerOptions{})
	g := newGuests(t)
	require.Equal(t, "left", must(t, p, "process.exec", object{"command": self(t), "args": []string{"helper", "leave", g.address()}})["stdout"])
	g.arrival()
}

func TestChildEnvironment(t *testing.T) {
	t.Setenv("SEXTON_TEST_TOKEN", "secret")
	t.Setenv("SEXTON_TEST_REGION", "eu")
	p := newPerformer(t, &PerformerOptions{Permissions: &Permissions{Run: []string{self(t)}, Env: []string{"SEXTON_TEST_REGION"}}})
	out := must(t, p, "process.exec", object{"command": self(t), "args": []string{"helper", "env"}, "env": object{"B": "2", "A": "x=y"}})["stdout"].(string)
	env := strings.Split(out, "\n")
	require.Contains(t, env, "A=x=y")
	require.Contains(t, env, "B=2")
	require.Contains(t, env, "SEXTON_TEST_REGION=eu", "granted variables are inherited")
	require.Contains(t, env, "PATH="+os.Getenv("PATH"))
	require.NotContains(t, out, "SEXTON_TEST_TOKEN")

	value, err := do(t, p, "process.env", object{"name": "SEXTON_TEST_REGION"})
	require.Nil(t, err)
	require.Equal(t, "eu", value)
	_, err = do(t, p, "process.env", object{"name": "SEXTON_TEST_TOKEN"})
	require.Equal(t, "environment variable SEXTON_TEST_TOKEN is not permitted: run with --allow-env=SEXTON_TEST_TOKEN", err.Message)
	require.NoError(t, os.Unsetenv("SEXTON_TEST_REGION"))
	value, err = do(t, p, "process.env", object{"name": "SEXTON_TEST_REGION"})
	require.Nil(t, err)
	require.Nil(t, value)
}

func spawn(t *testing.T, p *Performer, extra object, helper ...string) object {
	args := object{"command": self(t), "args": append([]string{"helper"}, helper...)}
	for k, v := range extra {
		args[k] = v
	}
	id := must(t, p, "process.spawn", args)
	require.Positive(t, id["pid"])
	require.NotEmpty(t, id["startTime"])
	return id
}

func TestSpawnEndsWithThePerformer(t *testing.T) {
	p := newPerformer(t, &PerformerOptions{})
	g := newGuests(t)
	spawn(t, p, nil, "family", g.address())
	one, two := g.arrival(), g.arrival()
	require.NoError(t, p.Close())
	<-one
	<-two
	_, err := do(t, p, "process.spawn", object{"command": self(t)})
	require.Equal(t, "ERR_CLOSED", err.Code)
}

func TestDetachedOutlivesThePerformer(t *testing.T) {
	p := newPerformer(t, &PerformerOptions{})
	g := newGuests(t)
	id := spawn(t, p, object{"detached": true}, "stay", g.address())
	gone := g.arrival()
	require.NoError(t, p.Close())

	later := newPerformer(t, &PerformerOptions{})
	require.Equal(t, object{"alive": true}, must(t, later, "process.alive", id))

	other := object{"pid": id["pid"], "startTime": "another time"}
	require.Equal(t, object{"alive": false}, must(t, later, "process.alive", other))
	require.Equal(t, object{"killed": false}, must(t, later, "process.kill", other), "another process has this id now")
	require.Equal(t, object{"alive": true}, must(t, later, "process.alive", id))

	require.Equal(t, object{"killed": true}, must(t, later, "process.kill", id))
	<-gone
	require.Equal(t, object{"alive": false}, must(t, later, "process.alive", id))
	require.Equal(t, object{"killed": false}, must(t, later, "process.kill", id), "a destructor may run twice")
}

func TestKillByForce(t *testing.T) {
	p := newPerformer(t, &PerformerOptions{})
	g := newGuests(t)
	id := spawn(t, p, object{"detached": true}, "ignore", g.address())
	gone := g.arrival()
	id["timeout"] = 50
	require.Equal(t, object{"killed": true}, must(t, p, "process.kill", id))
	<-gone
}

func TestKillRefuses(t *testing.T) {
	p := newPerformer(t, &PerformerOptions{})
	for _, args := range []object{
		{"pid": 0, "startTime": "x"}, {"pid": -1, "startTime": "x"}, {"pid": 1}, {"pid": 1.5, "startTime": "x"},
		{"pid": 1, "startTime": "x", "signal": "SIGSTOP"}, {"pid": 1, "startTime": "x", "timeout": -1},
	} {
		_, err := do(t, p, "process.kill", args)
		require.NotNil(t, err, "%v", args)
		require.Equal(t, "TypeError", err.Name, "%v", args)
	}
	none := newPerformer(t, &PerformerOptions{Permissions: &Permissions{}})
	_, err := do(t, none, "process.kill", object{"pid": 1, "startTime": "x"})
	require.Equal(t, "kill process 1 is not permitted: run with --allow-run=PROGRAM", err.Message)
}

func TestSpawnWritesToFiles(t *testing.T) {
	p := newPerformer(t, &PerformerOptions{})
	for range 2 {
		id := spawn(t, p, object{"detached": true, "stdout": "log", "stderr": "log"}, "say", "out\n", "err\n", "0")
		_, err := awaitEnd(context.Background(), identity{int(id["pid"].(float64)), id["startTime"].(string)}, killDeadline)
		require.NoError(t, err)
	}
	data, err := os.ReadFile(filepath.Join(p.Dir, "log"))
	require.NoError(t, err)
	require.Equal(t, "out\nerr\nout\nerr\n", string(data))
	_, refused := do(t, p, "process.spawn", object{"command": self(t), "stdout": "../log"})
	require.Equal(t, "PermissionDenied", refused.Name)
}

func TestIsEffect(t *testing.T) {
	for op := range operations {
		want := !strings.HasPrefix(op, "fs.read") && op != "fs.stat" && op != "process.alive" && op != "process.env" && op != "net.get"
		require.Equal(t, want, IsEffect(op), op)
	}
	require.True(t, IsEffect("unknown"), "what is not known is recorded")
}
