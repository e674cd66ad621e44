package effect

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// One program more than may run is refused, until one has ended.
func TestMaxProcesses(t *testing.T) {
	p := newPerformer(t, &PerformerOptions{MaxProcesses: 2})
	g := newGuests(t)
	one := spawn(t, p, object{"detached": true}, "stay", g.address())
	spawn(t, p, nil, "stay", g.address())
	program := object{"command": self(t), "args": []string{"helper", "say", "", "", "0"}}
	for _, op := range []string{"process.exec", "process.spawn"} {
		_, err := do(t, p, op, program)
		require.Equal(t, "RangeError: limit exceeded: processes (2): more programs run", err.Name+": "+err.Message)
		require.Equal(t, &Limit{Name: "processes", Value: "2", What: "more programs run"}, err.Limit)
	}
	_, err := do(t, p, "process.spawn", object{"command": "absent"})
	require.NotNil(t, err)
	must(t, p, "process.kill", one)
	for refused := true; refused; { // the process is gone a moment before it is not counted
		_, err := do(t, p, "process.exec", program)
		refused = err != nil && err.Limit != nil
		runtime.Gosched()
	}
}

// One operation on files more than may be under way waits until one has ended, or nobody wants it any more.
func TestMaxFiles(t *testing.T) {
	p := newPerformer(t, &PerformerOptions{MaxFiles: 1})
	p.files <- struct{}{} // one that takes long
	ctx, cancel := context.WithCancel(t.Context())
	cancelled := make(chan *Error)
	go func() {
		_, err := doContext(ctx, t, p, "fs.stat", object{"path": "."})
		cancelled <- err
	}()
	cancel()
	require.Equal(t, CodeAborted, (<-cancelled).Code)

	done := make(chan *Error)
	go func() {
		_, err := do(t, p, "fs.stat", object{"path": "."})
		done <- err
	}()
	select {
	case <-done:
		t.Fatal("it did not wait")
	default:
	}
	<-p.files
	require.Nil(t, <-done)
	require.Empty(t, p.files)
}
