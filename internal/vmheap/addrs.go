package vmheap

import "math/bits"

// addrs is a hash table from addresses to V, an order of magnitude cheaper than a
// Go map for what the tracer does: insert, ask, throw away as a whole. Its keys
// keep nothing alive. The zero value is empty.
type addrs[V any] struct {
	keys  []uintptr
	vals  []V
	n     int
	shift uint
}

// newAddrs returns a table with room for n addresses.
func newAddrs[V any](n int) *addrs[V] {
	a := new(addrs[V])
	a.alloc(max(6, bits.Len(uint(n))+1))
	return a
}

func (a *addrs[V]) alloc(log int) {
	a.keys, a.vals, a.shift = make([]uintptr, 1<<log), make([]V, 1<<log), uint(64-log)
}

// slot returns where k is, or where it belongs.
func (a *addrs[V]) slot(k uintptr) int {
	mask := len(a.keys) - 1
	for i := int(uint64(k) * 0x9e3779b97f4a7c15 >> a.shift); ; i = (i + 1) & mask {
		if a.keys[i] == k || a.keys[i] == 0 {
			return i
		}
	}
}

func (a *addrs[V]) get(k uintptr) (v V, ok bool) {
	if len(a.keys) == 0 {
		return v, false
	}
	i := a.slot(k)
	return a.vals[i], a.keys[i] == k
}

func (a *addrs[V]) has(k uintptr) bool {
	return len(a.keys) != 0 && a.keys[a.slot(k)] == k
}

// add sets k to v unless it is there already, and says whether it was not.
func (a *addrs[V]) add(k uintptr, v V) bool {
	if 2*a.n >= len(a.keys) {
		a.grow()
	}
	i := a.slot(k)
	if a.keys[i] == k {
		return false
	}
	a.keys[i], a.vals[i] = k, v
	a.n++
	return true
}

func (a *addrs[V]) grow() {
	keys, vals := a.keys, a.vals
	a.alloc(max(6, bits.Len(uint(len(keys)))))
	for i, k := range keys {
		if k != 0 {
			j := a.slot(k)
			a.keys[j], a.vals[j] = k, vals[i]
		}
	}
}
