package scenario

import "sync"

// mostWaiting is how many bytes scripts may print while they wait for the output of the files before theirs.
const mostWaiting = 16 << 20

// output is what a file has to say, in order, until somebody listens. It is safe for concurrent use.
type output struct {
	mu        sync.Mutex
	changed   sync.Cond
	waiting   []func()
	size      int // bytes of what waits
	closed    bool
	discarded bool // nobody will listen any more
}

func newOutput() *output {
	o := &output{}
	o.changed.L = &o.mu
	return o
}

// add puts say behind what waits. size is its memory in bytes: while there is too much of it, add does not return.
func (o *output) add(size int, say func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.size > mostWaiting && !o.discarded {
		o.changed.Wait()
	}
	if !o.discarded {
		o.waiting = append(o.waiting, say)
		o.size += size
		o.changed.Broadcast()
	}
}

// close says that nothing more is added.
func (o *output) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	o.changed.Broadcast()
}

// discard lets go of everything, now and later.
func (o *output) discard() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.discarded, o.waiting = true, nil
	o.changed.Broadcast()
}

// drain says everything, on this goroutine, until close.
func (o *output) drain() {
	for {
		o.mu.Lock()
		for len(o.waiting) == 0 && !o.closed {
			o.changed.Wait()
		}
		say := o.waiting
		o.waiting, o.size = nil, 0
		o.changed.Broadcast()
		o.mu.Unlock()
		if len(say) == 0 {
			return
		}
		for _, fn := range say {
			fn()
		}
	}
}
