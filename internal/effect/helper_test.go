package effect

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// The test binary is also the program that the tests run: "<binary> helper <what> …".
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "helper" {
		syscall.Exit(helper(os.Args[2], os.Args[3:])) // os.Exit would report on coverage
	}
	goleak.VerifyTestMain(m)
}

func helper(what string, args []string) int {
	switch what {
	case "say": // stdout, stderr, exit code
		fmt.Print(args[0])
		fmt.Fprint(os.Stderr, args[1])
		code, _ := strconv.Atoi(args[2])
		return code
	case "raw":
		_, _ = os.Stdout.Write([]byte{0xff, 0x00, 'a'})
	case "args":
		_ = json.NewEncoder(os.Stdout).Encode(append([]string{os.Args[0]}, args...))
	case "cwd":
		dir, _ := os.Getwd()
		fmt.Print(dir)
	case "env":
		env := os.Environ()
		slices.Sort(env)
		fmt.Print(strings.Join(env, "\n"))
	case "cat":
		_, _ = io.Copy(os.Stdout, os.Stdin)
	case "flood":
		n, _ := strconv.Atoi(args[0])
		_, _ = io.Copy(os.Stdout, strings.NewReader(strings.Repeat("x", n)))
	case "die":
		p, _ := os.FindProcess(os.Getpid())
		_ = p.Kill()
		select {}
	case "stay": // address: says so there, until it is ended
		return stay(args[0])
	case "ignore":
		signal.Ignore(syscall.SIGTERM)
		return stay(args[0])
	case "family": // one more process in the group
		if err := exec.Command(os.Args[0], "helper", "stay", args[0]).Start(); err != nil {
			return 1
		}
		return stay(args[0])
	case "leave": // a process that holds our standard output
		cmd := exec.Command(os.Args[0], "helper", "stay", args[0])
		cmd.Stdout = os.Stdout
		if err := cmd.Start(); err != nil {
			return 1
		}
		fmt.Print("left")
	}
	return 0
}

func stay(address string) int {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return 1
	}
	_, _ = io.Copy(io.Discard, conn) // until the test closes it
	return 0
}

// guests is where helpers report that they run; their connection ends with them.
type guests struct {
	net.Listener
	t *testing.T
}

func newGuests(t *testing.T) *guests {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	return &guests{l, t}
}

func (g *guests) address() string { return g.Addr().String() }

// arrival returns when a helper runs. The channel is closed when it has ended.
func (g *guests) arrival() <-chan struct{} {
	conn, err := g.Accept()
	require.NoError(g.t, err)
	g.t.Cleanup(func() { conn.Close() })
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_, _ = io.Copy(io.Discard, conn)
	}()
	return gone
}

func self(t *testing.T) string {
	path, err := os.Executable()
	require.NoError(t, err)
	return path
}

// newPerformer returns a Performer on a directory of its own that may run the helper.
func newPerformer(t *testing.T, opts *PerformerOptions) *Performer {
	if opts.Dir == "" {
		opts.Dir = t.TempDir()
	}
	if opts.Permissions == nil {
		opts.Permissions = &Permissions{Run: []string{self(t)}, Read: []string{"."}, Write: []string{"."}}
	}
	p, err := NewPerformer(opts)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	return p
}

type object = map[string]any

// do performs an operation and returns the decoded result.
func do(t *testing.T, p *Performer, op string, args any) (any, *Error) {
	return doContext(context.Background(), t, p, op, args)
}

func doContext(ctx context.Context, t *testing.T, p *Performer, op string, args any) (any, *Error) {
	data, err := json.Marshal(args)
	require.NoError(t, err)
	outcome := p.Do(ctx, &Request{Op: op, Args: data})
	require.NotNil(t, outcome)
	if outcome.Error != nil {
		require.Nil(t, outcome.Result)
		return nil, outcome.Error
	}
	var result any
	require.NoError(t, json.Unmarshal(outcome.Result, &result))
	return result, nil
}

func must(t *testing.T, p *Performer, op string, args any) object {
	t.Helper()
	result, err := do(t, p, op, args)
	require.Nil(t, err)
	o, _ := result.(object)
	return o
}

func detail(t *testing.T, e *Error) object {
	var d object
	require.NoError(t, json.Unmarshal(e.Detail, &d))
	return d
}
