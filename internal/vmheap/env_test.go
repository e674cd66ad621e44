package vmheap

import (
	"fmt"
	"sort"
	"strings"
	"testing"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/require"
)

// store is the least of a collector on top of a Heap: classes that extend Managed,
// owners, subscriptions, destruction in a simple order. gcext has the real one.
type store struct {
	t    testing.TB
	r    *goja.Runtime
	h    *Heap
	refs []*Ref
	next int
	env  *goja.Object
	log  []string
	busy bool
}

type record struct {
	id                int
	doomed, destroyed bool
	owner             *Ref
	subs              []subscription
}

type subscription struct {
	subscriber *Ref
	handler    string
}

const storePrelude = `
class Node extends Managed {
  nodes = []; #secret = 'sec'; #friend; #owner;
  constructor(value, owner) { super(); this.value = value; this.#owner = owner; if (owner) GC.setOwner(this, owner); }
  child(v) { const c = new Node(v, this); this.nodes.push(c); return c }
  destroy() { log('destroy ' + this.value) }
  secret() { return this.#secret + (this.#friend ? this.#friend.value : '') }
  befriend(o) { this.#friend = o; return this }
  #priv() { return 'pm' + this.value }
  callPriv() { return this.#priv() }
  get upper() { return this.value.toUpperCase() }
  destroyed_(o) { log('handler ' + this.value + ' of ' + o.value) }
  static owner(o) { return o.#owner }
}
globalThis.Node = Node;
`

func newStore(t testing.TB) *store {
	r := goja.New()
	h, err := New(r)
	require.NoError(t, err)
	require.NoError(t, h.InstallPrelude())
	s := &store{t: t, r: r, h: h}
	set := func(name string, v any) { require.NoError(t, r.Set(name, v)) }
	set("Managed", func(c goja.ConstructorCall) *goja.Object {
		s.next++
		s.refs = append(s.refs, h.Track(c.This, &record{id: s.next}))
		return nil
	})
	set("log", func(c goja.FunctionCall) goja.Value {
		var a []string
		for _, x := range c.Arguments {
			a = append(a, x.String())
		}
		s.log = append(s.log, strings.Join(a, " "))
		return goja.Undefined()
	})
	gc := r.NewObject()
	def := func(name string, f func(goja.FunctionCall) goja.Value) { require.NoError(t, gc.Set(name, f)) }
	def("collect", func(goja.FunctionCall) goja.Value { return r.ToValue(s.collect()) })
	def("isDestroyed", func(c goja.FunctionCall) goja.Value { return r.ToValue(s.rec(c.Argument(0)).destroyed) })
	def("isDoomed", func(c goja.FunctionCall) goja.Value { return r.ToValue(s.rec(c.Argument(0)).doomed) })
	def("setOwner", func(c goja.FunctionCall) goja.Value {
		s.rec(c.Argument(0)).owner = s.ref(c.Argument(1))
		return goja.Undefined()
	})
	def("owner", func(c goja.FunctionCall) goja.Value {
		if o := s.rec(c.Argument(0)).owner; o != nil {
			return o.Object()
		}
		return goja.Null()
	})
	def("subscribeDestruction", func(c goja.FunctionCall) goja.Value {
		p := s.rec(c.Argument(0))
		p.subs = append(p.subs, subscription{s.ref(c.Argument(1)), c.Argument(2).String()})
		return goja.Undefined()
	})
	def("unsubscribeDestruction", func(c goja.FunctionCall) goja.Value {
		p := s.rec(c.Argument(0))
		p.subs = p.subs[:0]
		return goja.Undefined()
	})
	set("GC", gc)
	set("setEnv", func(c goja.FunctionCall) goja.Value {
		s.env = c.Argument(0).(*goja.Object)
		return goja.Undefined()
	})
	set("env", func(goja.FunctionCall) goja.Value { return s.env })
	s.run(storePrelude)
	return s
}

func (s *store) run(source string) goja.Value {
	v, err := s.r.RunString(source)
	require.NoError(s.t, err)
	return v
}

func (s *store) ref(v goja.Value) *Ref {
	o, _ := v.(*goja.Object)
	r := s.h.Lookup(o)
	if r == nil {
		panic(s.r.NewTypeError("not a managed object"))
	}
	return r
}

func (s *store) rec(v goja.Value) *record { return s.ref(v).Data.(*record) }

// collect destroys what is dead until nothing is, and returns how many that were.
func (s *store) collect() int {
	if s.busy {
		return 0
	}
	s.busy = true
	defer func() { s.busy = false }()
	n := 0
	for {
		dead := s.find()
		if len(dead) == 0 {
			return n
		}
		s.destroy(dead)
		n += len(dead)
	}
}

func (s *store) find() []*Ref {
	var roots []*Ref
	if s.env != nil {
		roots = append(roots, s.h.Lookup(s.env))
	}
	return s.h.Find(s.refs, roots)
}

// destroy notifies from owners to what they own and destroys the other way round.
func (s *store) destroy(dead []*Ref) {
	level := func(r *Ref) int {
		n := 0
		for o := r.Data.(*record).owner; o != nil; o = o.Data.(*record).owner {
			n++
		}
		return n
	}
	for _, r := range dead {
		r.Data.(*record).doomed = true
	}
	order := append([]*Ref(nil), dead...)
	sort.SliceStable(order, func(i, j int) bool { return level(order[i]) < level(order[j]) })
	for _, r := range order {
		for _, sub := range r.Data.(*record).subs {
			if sub.handler != "" && !sub.subscriber.Data.(*record).destroyed {
				s.call(sub.subscriber.Object(), sub.handler, r.Object())
			}
		}
	}
	sort.SliceStable(order, func(i, j int) bool { return level(order[i]) > level(order[j]) })
	for _, r := range order {
		s.call(r.Object(), "destroy")
		r.Data.(*record).destroyed = true
	}
	gone := map[*Ref]bool{}
	for _, r := range dead {
		s.h.Weaken(r)
		gone[r] = true
	}
	var left []*Ref
	for _, r := range s.refs {
		if !gone[r] {
			left = append(left, r)
		}
	}
	s.refs = left
}

func (s *store) call(o *goja.Object, name string, args ...goja.Value) {
	f, ok := goja.AssertFunction(o.Get(name))
	if !ok {
		return
	}
	if _, err := f(o, args...); err != nil {
		s.log = append(s.log, fmt.Sprintf("ERR %s: %v", name, err))
	}
}
