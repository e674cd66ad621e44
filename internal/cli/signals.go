package cli

import (
	"context"

	"github.com/sextongc/sexton"
)

// interruptible returns contexts that signals cancel: the first one ctx, the second one kill. note says so.
// stop ends that.
func (a *app) interruptible(note func(text string)) (ctx, kill context.Context, stop func()) {
	kill, killNow := context.WithCancelCause(context.Background())
	ctx, cancel := context.WithCancelCause(kill)
	done := make(chan struct{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-a.Signals:
			note("interrupted: what runs is finished, nothing new is started; interrupt again to stop at once")
			cancel(sexton.ErrInterrupted)
		case <-done:
			return
		}
		select {
		case <-a.Signals:
			note("interrupted again: stopping")
			killNow(sexton.ErrInterrupted)
			a.Release()
		case <-done:
		}
	}()
	return ctx, kill, func() {
		close(done)
		<-ended
		cancel(nil)
		killNow(nil)
	}
}
