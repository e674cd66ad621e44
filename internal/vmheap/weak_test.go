package vmheap

import (
	"runtime"
	"testing"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/require"
)

// watch evaluates source to an object that it watches and does not hold.
//
//go:noinline
func watch(t *testing.T, r *goja.Runtime, h *Heap, source string) *Ref {
	return h.Watch(object(t, r, source))
}

func TestWatch(t *testing.T) {
	r, h := newPlain(t)
	o := object(t, r, `{}`)
	a := h.Watch(o)
	require.Same(t, a, h.Watch(o), "an object has one ref")
	require.Same(t, o, a.Object())
	require.Same(t, a, h.Track(o, 1), "it can be tracked later")
	h.Untrack(a)
	require.Same(t, o, a.Object(), "what watches it still finds it")
	require.Nil(t, a.Data)
	require.Same(t, a, h.Watch(o))
	runtime.KeepAlive(o)
}

func TestCollectWatched(t *testing.T) {
	r, h := newPlain(t)
	held := watch(t, r, h, `globalThis.held = {}`)
	gone, cycle := watch(t, r, h, `{}`), watch(t, r, h, `(() => { const a = {}; a.f = () => a; return a })()`)
	kept := watch(t, r, h, `{ inner: globalThis.inner = {} }`)
	inner := watch(t, r, h, `(() => { const o = inner; delete globalThis.inner; return o })()`)
	h.Keep(kept)
	h.Keep(kept)
	h.Collect(false)
	require.NotNil(t, held.Object())
	require.Nil(t, gone.Object())
	require.Nil(t, cycle.Object())
	require.NotNil(t, kept.Object())
	require.NotNil(t, inner.Object(), "what is kept keeps what it refers to")
	h.Keep(gone)
	require.True(t, h.LetGo())
	require.False(t, h.LetGo())
	h.Collect(false)
	require.Nil(t, kept.Object())
	require.Nil(t, inner.Object())
	runtime.KeepAlive(r)
}

// What is watched is followed into the clone of what a collection finds dead, and saves nothing.
func TestWatchedFollowsRevival(t *testing.T) {
	for name, keep := range map[string]bool{"": false, "kept": true} {
		t.Run(name, func(t *testing.T) {
			r, h := newPlain(t)
			var plain, lives *Ref
			require.NoError(t, r.Set("watch", func(o *goja.Object) { plain = h.Watch(o) }))
			require.NoError(t, r.Set("also", func(o *goja.Object) { lives = h.Watch(o) }))
			tracked := h.Track(object(t, r, `(() => {
				const plain = { name: 'plain' }, o = { plain };
				plain.o = o;
				globalThis.lives = { name: 'lives' };
				o.lives = lives;
				watch(plain);
				also(lives);
				return o;
			})()`), nil)
			require.Same(t, tracked, h.Watch(tracked.Object()))
			if keep {
				h.Keep(tracked)
			}
			require.Equal(t, []*Ref{tracked}, h.Find([]*Ref{tracked}, nil), "neither watched nor kept is held")
			get := func(ref *Ref, name string) *goja.Object { return ref.Object().Get(name).ToObject(r) }
			require.Same(t, get(tracked, "plain"), plain.Object())
			require.Same(t, get(plain, "o"), tracked.Object())
			require.Same(t, get(tracked, "lives"), lives.Object())
			require.Same(t, r.Get("lives").ToObject(r), lives.Object())
			require.Same(t, plain, h.Watch(plain.Object()))
			if keep {
				require.Same(t, tracked.Object(), tracked.kept)
			}

			h.Weaken(tracked)
			h.Collect(false)
			require.Equal(t, keep, tracked.Object() != nil, "until it is let go")
			h.LetGo()
			h.Collect(false)
			require.Nil(t, tracked.Object())
			require.Nil(t, plain.Object())
			require.NotNil(t, lives.Object())
			runtime.KeepAlive(r)
		})
	}
}
