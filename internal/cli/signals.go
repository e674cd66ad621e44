package cli

import (
	"context"
	"sync"

	"github.com/sextongc/sexton"
)

// What the first interrupt does.
const (
	interruptsDeployment = "interrupted: what runs is finished, nothing new is started; interrupt again to stop at once"
	interruptsScript     = "interrupted: the script is ended, what is left is destroyed; interrupt again to stop at once"
)

// interruptible returns contexts that signals cancel: the first one ctx, the second one kill. note tells the
// user, of the first one with the text first. stop ends that; the contexts stay as they are.
func (a *app) interruptible(note func(text string), first string) (ctx, kill context.Context, stop func()) {
	kill, killNow := context.WithCancelCause(context.Background())
	ctx, cancel := context.WithCancelCause(kill)
	done := make(chan struct{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-a.Signals:
			cancel(sexton.ErrInterrupted)
			note(first)
		case <-done:
			return
		}
		select {
		case <-a.Signals:
			killNow(sexton.ErrInterrupted)
			a.Release()
			note("interrupted again: stopping")
		case <-done:
		}
	}()
	return ctx, kill, sync.OnceFunc(func() {
		close(done)
		<-ended
	})
}
