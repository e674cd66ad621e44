package pipe

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMain makes the test binary the other side of the benchmark, which answers with what it is asked.
func TestMain(m *testing.M) {
	switch os.Getenv("PIPE_ECHO") {
	case "bytes":
		in, out := Pollable(os.Stdin), Pollable(os.Stdout)
		for b := []byte{0}; ; {
			if _, err := in.Read(b); err != nil {
				return
			}
			if _, err := out.Write(b); err != nil {
				panic(err)
			}
		}
	case "calls":
		c := New(Pollable(os.Stdin), Pollable(os.Stdout), &Options{Answer: func(_ context.Context, m *Message) *Message { return m }})
		if err := c.Serve(context.Background()); err != nil {
			panic(err)
		}
		return
	}
	os.Exit(m.Run())
}

// pair returns two connected sides that are being served, and a function that ends that.
func pair(t *testing.T, a, b *Options) (*Conn, *Conn, func() (error, error)) {
	t.Helper()
	ar, bw := io.Pipe()
	br, aw := io.Pipe()
	one, other := New(ar, aw, a), New(br, bw, b)
	var group sync.WaitGroup
	var errA, errB error
	group.Go(func() { errA = one.Serve(t.Context()) })
	group.Go(func() { errB = other.Serve(t.Context()) })
	return one, other, func() (error, error) {
		require.NoError(t, aw.Close())
		require.NoError(t, bw.Close())
		group.Wait()
		return errA, errB
	}
}

func TestCalls(t *testing.T) {
	var noticed []string
	echo := func(_ context.Context, m *Message) *Message {
		return &Message{Kind: m.Kind + 1, Head: bytes.ToUpper(m.Head), Body: m.Body}
	}
	one, other, end := pair(t, &Options{Answer: echo}, &Options{
		Answer: echo, Notice: func(m *Message) { noticed = append(noticed, string(m.Head)) },
	})
	big := bytes.Repeat([]byte("0123456789"), 500_000)
	var group sync.WaitGroup
	for i := range 50 {
		for _, c := range []*Conn{one, other} {
			group.Go(func() {
				a, err := c.Call(t.Context(), &Message{Kind: byte(i), Head: []byte("head"), Body: [][]byte{nil, {byte(i)}, big[:i*1000]}})
				require.NoError(t, err)
				require.Equal(t, byte(i+1), a.Kind)
				require.Equal(t, "HEAD", string(a.Head))
				require.Equal(t, []byte{byte(i)}, a.Body[1])
				require.Equal(t, big[:i*1000], a.Body[2])
			})
		}
	}
	group.Wait()
	a, err := one.Call(t.Context(), &Message{Body: [][]byte{big}})
	require.NoError(t, err)
	require.Empty(t, a.Head)
	require.True(t, bytes.Equal(big, a.Body[0]))

	for _, text := range []string{"1", "2", "3"} {
		require.NoError(t, one.Tell(&Message{Head: []byte(text)}))
	}
	_, err = one.Call(t.Context(), &Message{})
	require.NoError(t, err)
	errA, errB := end()
	require.NoError(t, errA)
	require.NoError(t, errB)
	require.Equal(t, []string{"1", "2", "3"}, noticed)
	_, err = one.Call(t.Context(), &Message{})
	require.ErrorIs(t, err, ErrClosed)
}

// A call whose context ends leaves nothing behind, and one whose connection ends fails.
func TestCallsThatEnd(t *testing.T) {
	hold := make(chan struct{})
	one, _, end := pair(t, &Options{}, &Options{Answer: func(ctx context.Context, m *Message) *Message {
		if m.Kind == 1 {
			<-hold
		}
		return m
	}})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := one.Call(ctx, &Message{Kind: 1})
	require.ErrorIs(t, err, context.Canceled)
	close(hold)
	_, err = one.Call(t.Context(), &Message{Kind: 2})
	require.NoError(t, err)
	_, _ = end()
	_, err = one.Call(t.Context(), &Message{})
	require.ErrorIs(t, err, ErrClosed)
}

// What is no frame ends the connection with an error, and takes no memory.
func TestWrongFrames(t *testing.T) {
	frame := func(length uint32, rest string) string {
		return string(binary.BigEndian.AppendUint32(nil, length)) + rest
	}
	for name, c := range map[string]struct{ data, problem string }{
		"too long":      {frame(1<<31, ""), "its length is 2147483648, want 10 to 67108864"},
		"too short":     {frame(3, "abc"), "its length is 3"},
		"cut head":      {"\x00\x00", "unexpected EOF"},
		"cut":           {frame(1<<25, "abc"), "unexpected EOF"},
		"unknown kind":  {frame(11, "\x09\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00"), "its kind is 9"},
		"no parts":      {frame(10, "\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00"), "parts do not fit"},
		"part too long": {frame(12, "\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x05x"), "parts do not fit"},
		"huge part":     {frame(20, "\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), "parts do not fit"},
	} {
		t.Run(name, func(t *testing.T) {
			c1 := New(strings.NewReader(c.data), io.Discard, &Options{Answer: func(context.Context, *Message) *Message { return nil }})
			require.ErrorContains(t, c1.Serve(t.Context()), c.problem)
			_, err := c1.Call(t.Context(), &Message{})
			require.ErrorIs(t, err, ErrClosed)
			require.ErrorContains(t, err, c.problem)
		})
	}
}

// echo starts a process that answers with what it is asked: bytes, or calls.
func echo(b *testing.B, what string) (in io.WriteCloser, out io.Reader, wait func() error) {
	self, err := os.Executable()
	require.NoError(b, err)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "PIPE_ECHO="+what)
	in, err = cmd.StdinPipe()
	require.NoError(b, err)
	out, err = cmd.StdoutPipe()
	require.NoError(b, err)
	require.NoError(b, cmd.Start())
	return in, out, cmd.Wait
}

// BenchmarkCall is a round trip to another process, beside one byte that goes there and back.
func BenchmarkCall(b *testing.B) {
	b.Run("byte", func(b *testing.B) {
		in, out, wait := echo(b, "bytes")
		data := []byte{1}
		for b.Loop() {
			_, err := in.Write(data)
			require.NoError(b, err)
			_, err = out.Read(data)
			require.NoError(b, err)
		}
		require.NoError(b, in.Close())
		require.NoError(b, wait())
	})
	b.Run("call", func(b *testing.B) {
		in, out, wait := echo(b, "calls")
		c := New(out, in, nil)
		served := make(chan error)
		go func() { served <- c.Serve(context.Background()) }()
		m := &Message{Kind: 1, Head: []byte(`{"id":1,"op":"fs.writeFile","object":"web","token":"0123456789abcdef","args":{"path":"x","data":"y"}}`)}
		for b.Loop() {
			if _, err := c.Call(context.Background(), m); err != nil {
				b.Fatal(err)
			}
		}
		require.NoError(b, in.Close())
		require.NoError(b, <-served)
		require.NoError(b, wait())
	})
}

// A call that is taken back is answered all the same, by who was told.
func TestCallsTakenBack(t *testing.T) {
	begun := make(chan string)
	one, _, end := pair(t, nil, &Options{Answer: func(ctx context.Context, m *Message) *Message {
		begun <- string(m.Head)
		<-ctx.Done()
		return &Message{Head: append(m.Head, " ended"...)}
	}})
	ctxs, answers := map[string]context.CancelFunc{}, map[string]chan string{}
	for _, name := range []string{"a", "b"} {
		ctx, cancel := context.WithCancel(t.Context())
		ctxs[name], answers[name] = cancel, make(chan string, 1)
		go func() {
			a, err := one.CallToEnd(ctx, &Message{Head: []byte(name)})
			if err != nil {
				a = &Message{Head: []byte(err.Error())}
			}
			answers[name] <- string(a.Head)
		}()
	}
	<-begun
	<-begun
	ctxs["b"]()
	require.Equal(t, "b ended", <-answers["b"])
	require.Empty(t, answers["a"])
	ctxs["a"]()
	require.Equal(t, "a ended", <-answers["a"])
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	go func() { <-begun }()
	a, err := one.CallToEnd(cancelled, &Message{Head: []byte("c")})
	require.NoError(t, err)
	require.Equal(t, "c ended", string(a.Head))
	_, _ = end()
	_, err = one.CallToEnd(cancelled, &Message{})
	require.ErrorIs(t, err, ErrClosed)
}
