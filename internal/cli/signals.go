package cli

import (
	"context"

	"github.com/sextongc/sexton"
)

// What the first interrupt does.
const (
	interruptsDeployment = "interrupted: what runs is finished, nothing new is started; interrupt again to stop at once"
	interruptsScript     = "interrupted: the script is ended, what is left is destroyed; interrupt again to stop at once"
)

// interruptible returns contexts that signals cancel: the first one ctx, the second one kill. note tells the
// user, of the first one with the text first. stop ends that.
func (a *app) interruptible(note func(text string), first string) (ctx, kill context.Context, stop func()) {
	kill, killNow := context.WithCancelCause(context.Background())
	ctx, cancel := context.WithCancelCause(kill)
	done := make(chan struct{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-a.Signals:
			note(first)
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
