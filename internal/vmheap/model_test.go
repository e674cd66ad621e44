package vmheap

import (
	"flag"
	"fmt"
	"math/rand"
	"sort"
	"strings"
	"testing"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/require"
)

var (
	modelSeeds = flag.Int("model.seeds", 12, "random programs to run")
	modelOps   = flag.Int("model.ops", 400, "steps of each")
)

const modelSource = `
const SYM = Symbol('edge');
const mapped = Function('a', 'return arguments');
class F extends Managed {
  #p = [null, null]; #fn = [null, null];
  constructor(id) { super(); this.id = id; this.d0 = this.d1 = null; this.arr = [null, null]; this.map = new Map(); this.set = [new Set(), new Set()]; this.obj = {a: {b: [null, null]}}; this[SYM] = [null, null]; this.clo = [null, null]; this.bnd = [null, null]; this.gen = [null, null]; this.kmap = [new Map(), new Map()]; this.wr = Object.freeze({x: [null, null]}); this.mix = {m: new Map([['s', new Set()]]), f: null}; this.prom = [null, null]; this.tree = [null, null]; this.iter = [null, null]; this.args = [null, null]; this.fp = [null, null]; this.wm = [new WeakMap(), new WeakMap()]; this.tpl = [null, null]; this.cb = [null, null]; this.weak = [this, this.arr, this.map, this.clo].map(watch) }
  put(k, i, v) {
    switch (k) {
    case 0: this['d' + i] = v; break;
    case 1: this.arr[i] = v; break;
    case 2: v ? this.map.set(i, v) : this.map.delete(i); break;
    case 3: this.set[i].clear(); if (v) this.set[i].add(v); break;
    case 4: this.obj.a.b[i] = v; break;
    case 5: this[SYM][i] = v; break;
    case 6: { const me = this; this.clo[i] = v ? (() => (me.id, v)) : null; break }
    case 7: this.bnd[i] = v ? (function(x) { return x }).bind(null, v) : null; break;
    case 8: if (v) { const me = this; const g = (function*() { while (true) yield (me.id, v) })(); g.next(); this.gen[i] = g } else this.gen[i] = null; break;
    case 9: this.#p[i] = v; break;
    case 10: this.kmap[i].clear(); if (v) this.kmap[i].set(v, 'k' + v.id); break;
    case 11: this.wr.x[i] = v; break;
    case 12: delete this['acc' + i]; if (v) Object.defineProperty(this, 'acc' + i, {get() { return v }, configurable: true, enumerable: true}); break;
    case 13: this.#fn[i] = v ? class { static s = v; static get() { return this.s } } : null; break;
    case 14: this.prom[i] = v ? new Proxy([v], {}) : null; break;
    case 15: this.tree[i] = v ? Object.create({up: v}) : null; break;
    case 16: if (v) { const it = new Map([[0, 0], [1, v], [2, 0]]).entries(); it.next(); this.iter[i] = it } else this.iter[i] = null; break;
    case 17: this.args[i] = v ? mapped(v) : null; break;
    case 18: this.fp[i] = v ? new Proxy(function () { return this.v }.bind({v}), {}) : null; break;
    case 19: v ? this.wm[i].set(this.arr, v) : this.wm[i].delete(this.arr); break;
    case 20: this.tpl[i] = v ? Object.assign(new Uint8Array(3), {v}) : null; break;
    case 21: this.cb[i] = v ? (function (x) { const list = arguments; return () => list[0] })(v) : null; break;
    }
  }
  get(k, i) {
    switch (k) {
    case 0: return this['d' + i];
    case 1: return this.arr[i];
    case 2: return this.map.get(i) || null;
    case 3: return [...this.set[i]][0] || null;
    case 4: return this.obj.a.b[i];
    case 5: return this[SYM][i];
    case 6: return this.clo[i] && this.clo[i]();
    case 7: return this.bnd[i] && this.bnd[i]();
    case 8: return this.gen[i] && this.gen[i].next().value;
    case 9: return this.#p[i];
    case 10: { const [k] = this.kmap[i].keys(); if (k && this.kmap[i].get(k) !== 'k' + k.id) throw new Error('kmap'); return k || null }
    case 11: return this.wr.x[i];
    case 12: return this['acc' + i] || null;
    case 13: return this.#fn[i] && this.#fn[i].get();
    case 14: return this.prom[i] && this.prom[i][0];
    case 15: return this.tree[i] && this.tree[i].up;
    case 16: { const it = this.iter[i]; if (!it) return null; const v = it.next().value[1]; const rest = [...it]; if (rest.length !== 1) throw new Error('iterator'); const again = new Map([[0, 0], [1, v], [2, 0]]).entries(); again.next(); this.iter[i] = again; return v }
    case 17: return this.args[i] && this.args[i][0];
    case 18: return this.fp[i] && this.fp[i]();
    case 19: return this.wm[i].get(this.arr) || null;
    case 20: return this.tpl[i] && this.tpl[i].v;
    case 21: return this.cb[i] && this.cb[i]();
    }
  }
  dump() { if (this.weak.some((w, i) => deref(w) !== [this, this.arr, this.map, this.clo][i])) throw new Error('weak'); const out = []; for (let k = 0; k < KINDS; k++) for (let i = 0; i < 2; i++) { const t = this.get(k, i); if (t) { if (!(t instanceof F)) throw new Error('not F'); out.push(k + ':' + i + '=' + t.id) } } return out.join() }
  destroy() { seen(this.id, this.dump()) }
}
const roots = [];
const api = {
  mk(s, id) { roots[s] = new F(id) },
  clear(s) { roots[s] = null },
  put(s, k, i, t) { if (roots[s]) roots[s].put(k, i, t < 0 ? null : roots[t]) },
  load(s, k, i, t) { roots[t] = roots[s] ? roots[s].get(k, i) : null },
  dump(s) { return roots[s] ? roots[s].id + ' ' + roots[s].dump() : '' },
  collect() { return GC.collect() },
  collectDeep() { return (function f(n) { let l = [roots[0], {x: n}]; return n ? [1].map(() => f(n-1))[0] : GC.collect() })(3) },
};
api`

const kinds = 22

type modelNode struct {
	id    int
	edges [kinds][2]*modelNode
}

func (n *modelNode) dump() string {
	var out []string
	for k := range n.edges {
		for i, t := range n.edges[k] {
			if t != nil {
				out = append(out, fmt.Sprintf("%d:%d=%d", k, i, t.id))
			}
		}
	}
	return strings.Join(out, ",")
}

// dice decides what a random program does next.
type dice interface{ Intn(n int) int }

// modelRun runs a program of so many steps, or until goOn says that the dice have no more, and returns how many
// objects it let die.
func modelRun(t *testing.T, rnd dice, ops int, goOn func() bool) (collected int) {
	s := newStore(t)
	r := s.r
	defer func() { require.Empty(t, s.log) }()
	seen := map[int]string{}
	r.Set("KINDS", kinds)
	r.Set("seen", func(c goja.FunctionCall) goja.Value {
		id := int(c.Argument(0).ToInteger())
		if _, dup := seen[id]; dup {
			t.Errorf("%d destroyed twice", id)
		}
		seen[id] = c.Argument(1).String()
		return nil
	})
	r.Set("watch", func(o *goja.Object) *Ref { return s.h.Watch(o) })
	r.Set("deref", func(w *Ref) *goja.Object { return w.Object() })
	v, err := r.RunString("(function(){" + strings.Replace(modelSource, "\napi", "\nreturn api", 1) + "})()")
	if err != nil {
		t.Fatal(err)
	}
	api := v.(*goja.Object)
	call := func(name string, args ...int) goja.Value {
		f, _ := goja.AssertFunction(api.Get(name))
		var a []goja.Value
		for _, x := range args {
			a = append(a, r.ToValue(x))
		}
		v, err := f(goja.Undefined(), a...)
		if err != nil {
			t.Fatalf("%s%v: %v", name, args, err)
		}
		return v
	}
	const slots = 6
	var roots [slots]*modelNode
	all := map[int]*modelNode{}
	next := 0
	for op := 0; op < ops && goOn(); op++ {
		a, b, k, i := rnd.Intn(slots), rnd.Intn(slots), rnd.Intn(kinds), rnd.Intn(2)
		switch x := rnd.Intn(20); {
		case x < 5:
			next++
			roots[a] = &modelNode{id: next}
			all[next] = roots[a]
			call("mk", a, next)
		case x < 7:
			roots[a] = nil
			call("clear", a)
		case x < 14:
			if roots[a] != nil {
				roots[a].edges[k][i] = roots[b]
			}
			call("put", a, k, i, b)
		case x < 15:
			if roots[a] != nil {
				roots[a].edges[k][i] = nil
			}
			call("put", a, k, i, -1)
		case x < 18:
			if roots[a] != nil {
				roots[b] = roots[a].edges[k][i]
			} else {
				roots[b] = nil
			}
			call("load", a, k, i, b)
		case x < 19:
			want := ""
			if roots[a] != nil {
				want = fmt.Sprint(roots[a].id, " ", roots[a].dump())
			}
			if got := call("dump", a).String(); got != want {
				t.Fatalf("op %d: live object reads %q, want %q", op, got, want)
			}
		default:
			name := "collect"
			if rnd.Intn(2) == 0 {
				name = "collectDeep"
			}
			clear(seen)
			n := int(call(name).ToInteger())
			mark := map[*modelNode]bool{}
			var visit func(n *modelNode)
			visit = func(n *modelNode) {
				if n == nil || mark[n] {
					return
				}
				mark[n] = true
				for k := range n.edges {
					visit(n.edges[k][0])
					visit(n.edges[k][1])
				}
			}
			for _, x := range roots {
				visit(x)
			}
			var dead []int
			for id, x := range all {
				if !mark[x] {
					dead = append(dead, id)
				}
			}
			sort.Ints(dead)
			var got []int
			for id := range seen {
				got = append(got, id)
			}
			sort.Ints(got)
			if fmt.Sprint(got) != fmt.Sprint(dead) || n != len(dead) {
				t.Fatalf("op %d: destroyed %v, model says %v", op, got, dead)
			}
			for _, id := range dead {
				if seen[id] != all[id].dump() {
					t.Fatalf("op %d: destructor of %d read %q, want %q", op, id, seen[id], all[id].dump())
				}
				delete(all, id)
				collected++
			}
		}
	}
	return
}

// Random programs against a model: which objects die, in which round, and what their
// destructors read through every kind of reference (gc 1.3, 2.5, 2.6).
func TestRandomPrograms(t *testing.T) {
	collected := 0
	for seed := range *modelSeeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			collected += modelRun(t, rand.New(rand.NewSource(int64(seed))), *modelOps, func() bool { return true })
		})
	}
	require.Greater(t, collected, *modelSeeds*10, "the programs must let something die")
}
