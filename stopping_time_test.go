package sexton

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// When the time is over, nothing new is started; a tenth later, or a minute, all is stopped.
func TestStoppingTimes(t *testing.T) {
	for limit, grace := range map[time.Duration]time.Duration{10 * time.Second: time.Second, 20 * time.Hour: time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			s := newStopping(context.Background(), context.Background(), limit, func() string { return "deploy" })
			defer s.end()
			time.Sleep(limit - 1)
			synctest.Wait()
			require.NoError(t, s.soft.Err())
			require.Equal(t, errNothing, s.conclude(errNothing))

			time.Sleep(time.Nanosecond)
			synctest.Wait()
			require.NoError(t, s.hard.Err())
			want := &TimeoutError{Limit: limit, During: "deploy"}
			require.Equal(t, want, context.Cause(s.soft))
			require.ErrorIs(t, want, ErrInterrupted)
			require.ErrorIs(t, want, context.DeadlineExceeded)
			require.NoError(t, s.conclude(nil))
			require.Equal(t, errNothing, s.conclude(errNothing)) // has nothing to do with it
			require.Equal(t, []error{want, errNothing}, joined(s.conclude(errors.Join(errNothing, ErrInterrupted))))
			require.Equal(t, []error{want}, joined(s.conclude(fmt.Errorf("build: %w", s.soft.Err()))))

			time.Sleep(grace - 1)
			synctest.Wait()
			require.NoError(t, s.hard.Err())
			time.Sleep(time.Nanosecond)
			synctest.Wait()
			require.Equal(t, want, context.Cause(s.hard))
			require.Equal(t, []error{want, errNothing}, joined(s.conclude(errors.Join(context.Cause(s.hard), errNothing))))
		})
	}
}

var errNothing = errors.New("something else")

// What came first is the reason, whatever follows.
func TestStoppingCause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(context.Background())
		s := newStopping(ctx, context.Background(), time.Minute, func() string { return "deploy" })
		cancel(errNothing)
		time.Sleep(time.Hour)
		synctest.Wait()
		err := s.conclude(context.Cause(s.hard))
		require.ErrorIs(t, err, ErrInterrupted)
		require.EqualError(t, err, "interrupted: something else")
		s.end()

		kill, stop := context.WithCancelCause(context.Background())
		s = newStopping(context.Background(), kill, 0, nil)
		defer s.end()
		stop(errNothing)
		synctest.Wait()
		require.Equal(t, errNothing, context.Cause(s.soft)) // soft follows hard
	})
}

func TestActivity(t *testing.T) {
	a := newActivity()
	observe := a.before(nil)
	require.Equal(t, "load", a.String())
	observe(Event{Kind: "phase", Text: "deploy"})
	for _, id := range []string{"l", "k", "j", "i", "h", "g", "f", "e", "d", "c", "b", "a"} {
		observe(Event{Kind: "destroy", Object: &Object{ID: id, Type: "app/Vm"}})
	}
	observe(Event{Kind: "destroyed", Object: &Object{ID: "k"}})
	observe(Event{Kind: "failed", Object: &Object{ID: "l"}, Subscriber: &Object{ID: "x"}}) // a handler
	require.Equal(t, "deploy; destroying Vm l, Vm j, Vm i, Vm h, Vm g, Vm f, Vm e, Vm d, Vm c, Vm b and 1 more", a.String())
}
