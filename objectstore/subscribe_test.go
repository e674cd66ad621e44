package objectstore_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sextongc/sexton/objectstore"
)

func names(o *objectstore.Object) string {
	var out []string
	for _, s := range o.Subscriptions() {
		out = append(out, fmt.Sprint(s.Subscriber.ID, s.Handler, s.Count))
	}
	return strings.Join(out, " ")
}

// gc 4.2, 4.3, 4.4
func TestSubscriptionsCount(t *testing.T) {
	e := newEnv(t, loading)
	e.run(`for (const id of ["p", "a", "b"]) globalThis[id] = new Box({}, null, { id })`)
	p := e.s.Lookup("p")
	e.run(`subscribe(p, a, "m"); subscribe(p, b, ""); subscribe(p, a, "m"); subscribe(p, p, "m"); subscribe(p, a, "n")`)
	require.Equal(t, "am2 b1 pm1 an1", names(p))
	e.run(`unsubscribe(p, a, "m")`)
	require.Equal(t, "am1 b1 pm1 an1", names(p))
	e.run(`unsubscribe(p, a, "m"); unsubscribe(p, a, "m"); subscribe(p, a, "m")`)
	require.Equal(t, "b1 pm1 an1 am1", names(p), "it goes to the end")
	require.NoError(t, e.s.Bury(e.s.Lookup("b"))) // gc 4.5
	require.Equal(t, "pm1 an1 am1", names(p))
	require.NoError(t, e.s.Bury(p))
	require.Empty(t, p.Subscriptions())
}

// gc 4.2, 4.4, against a list that is searched each time.
func TestSubscriptionsAgainstModel(t *testing.T) {
	e := newEnv(t, loading)
	rapid.Check(t, func(t *rapid.T) {
		e.open(nil)
		p := e.object(`new Box({})`)
		var others []*objectstore.Object
		for range 30 {
			others = append(others, e.object(`new Box({})`))
		}
		type key struct {
			id, handler string
		}
		var model []key
		counts := map[key]int{}
		dead := map[string]bool{}
		drop := func(k key) {
			var left []key
			for _, x := range model {
				if x != k {
					left = append(left, x)
				}
			}
			model = left
			delete(counts, k)
		}
		for range rapid.IntRange(0, 150).Draw(t, "steps") {
			o := others[rapid.IntRange(0, len(others)-1).Draw(t, "subscriber")]
			if dead[o.ID] {
				continue
			}
			k := key{o.ID, rapid.SampledFrom([]string{"", "m"}).Draw(t, "handler")}
			version, first := p.SubscriptionsVersion(), len(model)
			switch op := rapid.IntRange(0, 9).Draw(t, "op"); {
			case op < 5:
				e.s.Subscribe(p, o, k.handler, "")
				if counts[k]++; counts[k] == 1 {
					model = append(model, k)
				}
			case op < 9:
				e.s.Unsubscribe(p, o, k.handler)
				if counts[k]--; counts[k] <= 0 {
					drop(k)
				}
			default:
				require.NoError(t, e.s.Bury(o))
				dead[o.ID] = true
				drop(key{o.ID, ""})
				drop(key{o.ID, "m"})
			}
			if rapid.Bool().Draw(t, "look") {
				var want []string
				for _, k := range model {
					want = append(want, fmt.Sprint(k.id, k.handler, counts[k]))
				}
				require.Equal(t, strings.Join(want, " "), names(p))
				if len(model) < first {
					require.NotEqual(t, version, p.SubscriptionsVersion())
				}
			}
		}
	})
}

func TestCheckHandler(t *testing.T) {
	e := newEnv(t, loading)
	o := e.object(`const b = new Box({}); b.own = () => 1; b`)
	require.NoError(t, o.Class.CheckHandler("m"))
	for _, name := range []string{"own", "nope", "constructor", "items"} {
		require.EqualError(t, o.Class.CheckHandler(name), fmt.Sprintf("class Box has no method %q", name))
	}
}

// Nothing may take time that grows with the square of its input: 100,000 is a matter of seconds, where
// a quadratic step would take minutes.
func TestScale(t *testing.T) {
	if testing.Short() {
		t.Skip("a second or two")
	}
	const n = 100_000
	e := newEnv(t, loading)
	star := graph(entry("hub", "Box"))
	for i := range n {
		x := entry(fmt.Sprint("s", i), "Box")
		if i > 0 {
			x.Owner = fmt.Sprint("s", i-1)
		}
		star.Objects = append(star.Objects, x)
		star.Objects[0].Subscriptions = append(star.Objects[0].Subscriptions, objectstore.Subscription{Subscriber: x.ID, Handler: "m", Count: 1})
	}
	s := e.open(nil)
	require.NoError(t, s.Load(star, plainly))
	require.Equal(t, star, e.snapshot())
	require.Len(t, s.Edges().Deps, n)
	hub := s.Lookup("hub")
	left := hub.Subscriptions()
	for _, sub := range left[:n/4] { // as each is told
		s.Unsubscribe(hub, sub.Subscriber, "m")
		hub.Subscriptions()
	}
	for _, sub := range left[n/4 : n/2] { // without anybody looking
		s.Unsubscribe(hub, sub.Subscriber, "m")
		s.Subscribe(hub, sub.Subscriber, "again", "")
	}
	require.Len(t, hub.Subscriptions(), 3*n/4)
	for i := n - 1; i >= 0; i-- { // a chain of owners goes from its end
		require.NoError(t, s.Bury(s.Lookup(fmt.Sprint("s", i))))
	}
	require.Empty(t, hub.Subscriptions())
	require.Len(t, s.Objects(), 1)
	e.run(`for (let i = 0; i < 2000; i++) new Box({}, null, { id: "s" + i })`)
}
