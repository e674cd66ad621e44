// Package pipe carries messages between two processes over a pair of byte streams: calls, which are
// answered, and notices, which are not. Either side calls the other; calls may be under way at the same
// time and are answered in any order. What they mean is the business of others.
//
// Neither side trusts the other with its memory: frames have a largest size, and so has the number of calls
// that are under way.
package pipe

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
)

// Message is a call, a notice or an answer. It must not be changed once it is sent.
type Message struct {
	Kind byte
	Head []byte   // JSON
	Body [][]byte // data as it is
}

// Options of a Conn.
type Options struct {
	MaxFrame int // in bytes, of what is read; 0: 64 MiB
	MaxCalls int // of the other side, under way at once; 0: 1,024. Further ones wait in the pipe

	// Answer answers a call of the other side, on a goroutine of its own. ctx is done when the connection is, or when
	// the other side takes the call back.
	Answer func(ctx context.Context, m *Message) *Message
	// Notice hears of notices, in their order, and before what was sent later. It must not call.
	Notice func(m *Message)
}

// ErrFrame is matched by the error of Serve if the other side sent what is no frame.
var ErrFrame = errors.New("what was sent is no frame")

// ErrClosed is matched by the error of a call whose answer will not come any more.
var ErrClosed = errors.New("the connection is closed")

// Conn is one side of a connection. Call and Tell are safe for concurrent use, also from Answer.
type Conn struct {
	opts Options
	r    *bufio.Reader

	writing sync.Mutex
	w       *bufio.Writer
	writers atomic.Int32 // that write, or wait for their turn

	mu    sync.Mutex
	calls map[uint64]chan *Message
	last  uint64
	err   error // why no answer comes any more
}

const (
	defaultMaxFrame = 64 << 20
	defaultMaxCalls = 1024
)

// New returns a connection. Serve reads from it.
func New(r io.Reader, w io.Writer, opts *Options) *Conn {
	c := &Conn{r: bufio.NewReaderSize(r, 64<<10), w: bufio.NewWriterSize(w, 64<<10), calls: map[uint64]chan *Message{}}
	if opts != nil {
		c.opts = *opts
	}
	if c.opts.MaxFrame == 0 {
		c.opts.MaxFrame = defaultMaxFrame
	}
	if c.opts.MaxCalls == 0 {
		c.opts.MaxCalls = defaultMaxCalls
	}
	return c
}

// Call sends a call and waits for its answer. When ctx is done before that, the answer is dropped.
func (c *Conn) Call(ctx context.Context, m *Message) (*Message, error) {
	id, answer, err := c.ask(m)
	if err != nil {
		return nil, err
	}
	select {
	case a := <-answer:
		return c.outcome(a)
	case <-ctx.Done():
		c.forget(id)
		return nil, ctx.Err()
	}
}

// CallToEnd is Call for what has to be known to have ended: when ctx is done, the call is taken back, and its answer
// is waited for all the same.
func (c *Conn) CallToEnd(ctx context.Context, m *Message) (*Message, error) {
	id, answer, err := c.ask(m)
	if err != nil {
		return nil, err
	}
	select {
	case a := <-answer:
		return c.outcome(a)
	case <-ctx.Done():
		if err := c.send(takenBack, id, &Message{}); err != nil {
			c.forget(id)
			return nil, err
		}
		return c.outcome(<-answer)
	}
}

// ask sends a call. The answer comes through the channel, which is closed if there will be none.
func (c *Conn) ask(m *Message) (id uint64, answer chan *Message, err error) {
	answer = make(chan *Message, 1)
	c.mu.Lock()
	if c.err != nil {
		defer c.mu.Unlock()
		return 0, nil, c.err
	}
	c.last++
	id = c.last
	c.calls[id] = answer
	c.mu.Unlock()
	if err := c.send(call, id, m); err != nil {
		c.forget(id)
		return 0, nil, err
	}
	return id, answer, nil
}

func (c *Conn) forget(id uint64) {
	c.mu.Lock()
	delete(c.calls, id)
	c.mu.Unlock()
}

func (c *Conn) outcome(a *Message) (*Message, error) {
	if a != nil {
		return a, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return nil, c.err
}

// Tell sends a notice.
func (c *Conn) Tell(m *Message) error { return c.send(notice, 0, m) }

// Serve reads until the other side closes the stream, which is no error, or sends what is no frame. When it
// returns, calls without an answer have failed, and those of the other side have been answered.
func (c *Conn) Serve(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	s := &serving{
		Conn: c, ctx: ctx, slots: make(chan struct{}, c.opts.MaxCalls), ended: make(chan error, 1),
		underway: underway{cancel: map[uint64]context.CancelFunc{}},
	}
	s.running.Go(s.read)
	err := <-s.ended
	c.mu.Lock()
	c.err = ErrClosed
	if err != nil {
		c.err = fmt.Errorf("%w: %w", ErrClosed, err)
	}
	for _, asked := range c.calls {
		close(asked)
	}
	c.calls = nil
	c.mu.Unlock()
	cancel()
	s.running.Wait()
	return err
}

// underway is how calls of the other side can be ended.
type underway struct {
	mu     sync.Mutex
	cancel map[uint64]context.CancelFunc
}

// begin returns the context of a call, and what to do when it is answered.
func (u *underway) begin(ctx context.Context, id uint64) (_ context.Context, done func()) {
	ctx, cancel := context.WithCancel(ctx)
	u.mu.Lock()
	u.cancel[id] = cancel
	u.mu.Unlock()
	return ctx, func() {
		cancel()
		u.mu.Lock()
		delete(u.cancel, id)
		u.mu.Unlock()
	}
}

func (u *underway) end(id uint64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if cancel := u.cancel[id]; cancel != nil {
		cancel()
	}
}

// serving is a Serve under way. One goroutine at a time reads. The one that has read a call answers it, and another
// one goes on reading: so the answer waits for no goroutine to be woken.
type serving struct {
	*Conn
	ctx      context.Context
	slots    chan struct{}
	running  sync.WaitGroup
	ended    chan error // why reading ended, once
	underway underway
}

// read passes frames on until there is a call, which it answers, or the stream ends.
func (s *serving) read() {
	for {
		f, err := s.next()
		if f == nil {
			s.ended <- err
			return
		}
		switch f.kind {
		case notice:
			if s.opts.Notice != nil {
				s.opts.Notice(&f.Message)
			}
		case answered:
			s.mu.Lock()
			asked := s.calls[f.id]
			delete(s.calls, f.id)
			s.mu.Unlock()
			if asked != nil {
				asked <- &f.Message
			}
		case call:
			s.slots <- struct{}{}
			ctx, done := s.underway.begin(s.ctx, f.id)
			s.running.Go(s.read)
			a := s.opts.Answer(ctx, &f.Message)
			done()
			<-s.slots // who gets the answer may call again at once
			if a != nil {
				_ = s.send(answered, f.id, a) // whoever does not read gets no answer
			}
			return
		case takenBack:
			s.underway.end(f.id)
		}
	}
}

// What a frame is.
const (
	call byte = iota
	answered
	notice
	takenBack // the call of that number: its answer is to come soon
)

// frame is what goes over the stream: the length of the rest (4 bytes, big-endian), what it is, the number
// of the call (8 bytes), the kind, and the parts, each with its length in front.
type frame struct {
	kind byte
	id   uint64
	Message
}

const frameHead = 1 + 8 + 1

func (c *Conn) send(kind byte, id uint64, m *Message) error {
	size := frameHead + binary.MaxVarintLen64 + len(m.Head)
	for _, part := range m.Body {
		size += binary.MaxVarintLen64 + len(part)
	}
	if size > 1<<31 {
		return fmt.Errorf("a message of %d bytes cannot be sent", size)
	}
	head := make([]byte, 4, 64)
	head = append(head, kind)
	head = binary.BigEndian.AppendUint64(head, id)
	head = append(head, m.Kind)
	length := frameHead
	prefix := func(part []byte) []byte { return binary.AppendUvarint(nil, uint64(len(part))) }
	length += len(prefix(m.Head)) + len(m.Head)
	for _, part := range m.Body {
		length += len(prefix(part)) + len(part)
	}
	binary.BigEndian.PutUint32(head, uint32(length))

	c.writers.Add(1)
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err := c.w.Write(head)
	write := func(part []byte) {
		if err == nil {
			_, err = c.w.Write(prefix(part))
		}
		if err == nil {
			_, err = c.w.Write(part)
		}
	}
	write(m.Head)
	for _, part := range m.Body {
		write(part)
	}
	if c.writers.Add(-1) == 0 && err == nil { // whoever waits for the turn flushes for both
		err = c.w.Flush()
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrClosed, err)
	}
	return nil
}

// next reads a frame; nil at the end of the stream, which is no error.
func (c *Conn) next() (*frame, error) {
	var head [4]byte
	if _, err := io.ReadFull(c.r, head[:]); err == io.EOF {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	length := int(binary.BigEndian.Uint32(head[:]))
	if length < frameHead || length > c.opts.MaxFrame {
		return nil, fmt.Errorf("%w: its length is %d, want %d to %d", ErrFrame, uint32(length), frameHead, c.opts.MaxFrame)
	}
	data, err := readAll(c.r, length)
	if err != nil {
		return nil, err
	}
	return parse(data)
}

// readAll reads n bytes. Whoever announces much and sends little gets little memory.
func readAll(r io.Reader, n int) ([]byte, error) {
	const step = 1 << 20
	data := make([]byte, 0, min(n, step))
	for len(data) < n {
		at := len(data)
		more := min(n-at, max(step, at))
		data = append(data, make([]byte, more)...)
		if _, err := io.ReadFull(r, data[at:]); err != nil {
			return nil, io.ErrUnexpectedEOF
		}
	}
	return data, nil
}

func parse(data []byte) (*frame, error) {
	f := &frame{kind: data[0], id: binary.BigEndian.Uint64(data[1:])}
	f.Kind = data[9]
	if f.kind > takenBack {
		return nil, fmt.Errorf("%w: its kind is %d", ErrFrame, f.kind)
	}
	data = data[frameHead:]
	for first := true; first || len(data) > 0; first = false {
		size, n := binary.Uvarint(data)
		if n <= 0 || size > uint64(len(data)-n) {
			return nil, fmt.Errorf("%w: its parts do not fit", ErrFrame)
		}
		part := data[n : n+int(size) : n+int(size)]
		data = data[n+int(size):]
		if first {
			f.Head = part
		} else {
			f.Body = append(f.Body, part)
		}
	}
	return f, nil
}
