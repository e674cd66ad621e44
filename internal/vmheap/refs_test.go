package vmheap

import (
	"runtime"
	"testing"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/require"
)

func newPlain(t *testing.T) (*goja.Runtime, *Heap) {
	r := goja.New()
	h, err := New(r)
	require.NoError(t, err)
	require.NoError(t, h.InstallPrelude())
	return r, h
}

// object evaluates source to an object that nothing but the caller holds.
func object(t *testing.T, r *goja.Runtime, source string) *goja.Object {
	v, err := r.RunString("(" + source + ")")
	require.NoError(t, err)
	return v.ToObject(r)
}

func TestTrack(t *testing.T) {
	r, h := newPlain(t)
	o := object(t, r, `{}`)
	require.Nil(t, h.Lookup(o))
	require.Nil(t, h.Lookup(nil))
	a := h.Track(o, 1)
	require.Same(t, a, h.Lookup(o))
	require.Same(t, o, a.Object())
	require.Equal(t, 1, a.Data)
	require.Same(t, a, h.Track(o, 2), "an object has one ref")
	require.Equal(t, 2, a.Data)
	h.Weaken(a)
	h.Weaken(a)
	require.Same(t, a, h.Lookup(o), "weakened refs are found")
	require.Same(t, o, a.Object())
	require.Same(t, a, h.Track(o, 3), "and can be made strong again")
	h.Untrack(a)
	require.Nil(t, h.Lookup(o))
	require.Nil(t, a.Object())
	h.Untrack(a)
	runtime.KeepAlive(o)
}

//go:noinline
func weakly(t *testing.T, r *goja.Runtime, h *Heap, source string) *Ref {
	ref := h.Track(object(t, r, source), nil)
	h.Weaken(ref)
	return ref
}

func TestWeakenedVanish(t *testing.T) {
	r, h := newPlain(t)
	var refs []*Ref
	for range 1000 {
		refs = append(refs, weakly(t, r, h, `{}`))
	}
	h.scrub()
	runtime.GC()
	for _, ref := range refs {
		require.Nil(t, ref.Object())
	}
	for range 2000 {
		weakly(t, r, h, `{}`)
		runtime.GC()
		if len(h.refs) < 500 {
			break
		}
	}
	require.Less(t, len(h.refs), 500, "entries of vanished objects are dropped")
}

// gc 5.5: a destroyed object keeps its identity for as long as anything refers to it,
// also if that dies and is revived.
func TestWeakenedFollowsRevival(t *testing.T) {
	r, h := newPlain(t)
	var dead, tomb, lone *Ref
	func() {
		o := object(t, r, `(() => { const t = {name: 'tomb'}; const o = {t, list: [t], map: new Map([[t, 1]])}; t.o = o; return o })()`)
		dead = h.Track(o, "dead")
		tomb = h.Track(o.Get("t").ToObject(r), "tomb")
		h.Weaken(tomb)
		lone = weakly(t, r, h, `{}`)
	}()
	was := tomb.addr
	found := h.Find([]*Ref{dead}, nil)
	require.Equal(t, []*Ref{dead}, found)
	require.NotEqual(t, was, tomb.addr, "the original is gone")
	require.NotNil(t, tomb.Object())
	require.Same(t, tomb, h.Lookup(tomb.Object()))
	require.Same(t, dead, h.Lookup(dead.Object()))
	require.Nil(t, lone.Object())
	require.Len(t, h.refs, 2)
	require.NoError(t, r.Set("d", dead.Object()))
	require.NoError(t, r.Set("t", tomb.Object()))
	v, err := r.RunString(`d.t === t && d.list[0] === t && t.o === d && d.map.get(t) === 1 && t.name === 'tomb'`)
	require.NoError(t, err)
	require.True(t, v.ToBoolean())

	// and once more, from a clone to a clone
	_, err = r.RunString(`delete globalThis.d; delete globalThis.t`)
	require.NoError(t, err)
	require.Equal(t, []*Ref{dead}, h.Find([]*Ref{dead}, nil))
	require.Same(t, tomb, h.Lookup(dead.Object().Get("t").ToObject(r)))
	h.Untrack(dead)
	require.Empty(t, h.Find(nil, nil))
	h.scrub()
	runtime.GC()
	require.Nil(t, tomb.Object())
}

func TestWeakenedOfSurvivorsStay(t *testing.T) {
	r, h := newPlain(t)
	held := object(t, r, `(() => { const t = {}; return {t} })()`)
	ref := h.Track(held, nil)
	tomb := h.Track(held.Get("t").ToObject(r), nil)
	h.Weaken(tomb)
	original := tomb.Object()
	require.Empty(t, h.Find([]*Ref{ref}, nil), "the host holds it")
	require.Same(t, original, tomb.Object())
	require.Same(t, tomb, h.Lookup(original))
	runtime.KeepAlive(held)
}

// gc 3.5: the order of refs is the order of what is found.
func TestFindKeepsOrder(t *testing.T) {
	r, h := newPlain(t)
	var refs []*Ref
	for i := range 300 {
		func() { refs = append(refs, h.Track(object(t, r, `{}`), i)) }()
	}
	reversed := make([]*Ref, 0, len(refs))
	for i := range refs {
		reversed = append(reversed, refs[len(refs)-1-i])
	}
	require.Equal(t, reversed, h.Find(append(reversed, reversed[0]), nil), "each once")
}

// Refs that are not asked about, and roots, keep what they refer to.
func TestFindRoots(t *testing.T) {
	r, h := newPlain(t)
	var a, b, c *Ref
	func() {
		o := object(t, r, `{b: {}, c: {}}`)
		a, b, c = h.Track(o, "a"), h.Track(o.Get("b").ToObject(r), "b"), h.Track(o.Get("c").ToObject(r), "c")
	}()
	require.Empty(t, h.Find([]*Ref{b, c}, nil))
	require.Empty(t, h.Find([]*Ref{a, b, c}, []*Ref{a, nil}))
	func() { require.NoError(t, a.Object().Delete("c")) }()
	require.Equal(t, []*Ref{c}, h.Find([]*Ref{a, b, c}, []*Ref{a}))
	h.Untrack(a)
	require.Equal(t, []*Ref{b, c}, h.Find([]*Ref{b, c}, nil))
}

// gc 2.1, 2.7: what Go code holds is a root.
func TestHostObjects(t *testing.T) {
	s := newStore(t)
	type counter struct{ N int }
	host := &counter{5}
	require.NoError(t, s.r.Set("s", host))
	require.NoError(t, s.r.Set("m", map[string]any{"k": 1}))
	s.run(`(function(){ let a = new Node('A'); a.s = s; a.m = m; a.fn = log; a.destroy = function(){ this.s.N++; this.m.k = 2; this.fn('host', this.s === s, this.m === m) } })(); log(GC.collect())`)
	require.Equal(t, []string{"host true true", "1"}, s.log)
	require.Equal(t, 6, host.N)
	require.Equal(t, int64(2), s.run(`m.k`).ToInteger())
}

// A built-in written in Go holds what tracing does not see: Go's collector has the last word.
func TestTracingAloneIsUnsound(t *testing.T) {
	s := newStore(t)
	missed := 0
	require.NoError(t, s.r.Set("probe", func(goja.FunctionCall) goja.Value {
		tr := s.h.trace(s.refs, nil)
		for _, r := range s.refs {
			if !tr.seen.has(r.addr) {
				missed++
			}
		}
		return s.r.ToValue(len(s.find()))
	}))
	v := s.run(`(function(){ let found; [1,2,3].map(i => { if (i == 3) found = probe(); return new Node('m' + i) }); return found })()`)
	require.Equal(t, 2, missed)
	require.Equal(t, int64(0), v.ToInteger())
}

// Host objects are shared between originals and clones, so they are never found dead,
// and do not disturb those that are.
func TestTrackedHostObjects(t *testing.T) {
	r, h := newPlain(t)
	var refs []*Ref
	for i := range 4 {
		func() {
			o := object(t, r, `{}`)
			if i%2 == 0 {
				o = r.ToValue(&struct{ N int }{i}).ToObject(r)
			}
			refs = append(refs, h.Track(o, i))
		}()
	}
	require.Equal(t, []*Ref{refs[1], refs[3]}, h.Find(refs, nil))
	for _, ref := range refs {
		require.Same(t, ref, h.Lookup(ref.Object()))
	}
}
