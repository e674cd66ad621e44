package vmheap

import (
	"reflect"
	"weak"

	"github.com/dop251/goja"
)

// goja's ordered map, which is behind Map, Set and symbol properties: a list of
// entries in order of insertion and a table of hash chains. An object's hash is
// its address, so tables change when objects do.

// omap copies the ordered map at m.
func (c *cloner) omap(m ptr) ptr {
	if d, ok := c.memo.get(uintptr(m)); ok {
		return d
	}
	if c.alive.has(uintptr(m)) {
		return m
	}
	l := c.h.l
	v := reflect.New(l.orderedMap)
	v.Elem().Set(reflect.NewAt(l.orderedMap, m).Elem())
	d := v.UnsafePointer()
	c.memo.add(uintptr(m), d)
	c.nodes = append(c.nodes, node{original: weak.Make((*byte)(m)), clone: d})

	n := *at[int](m, l.omSize)
	entries := newAddrs[ptr](n)
	var prev ptr
	for e := *at[ptr](m, l.omFirst); e != nil; e = *at[ptr](e, l.entNext) {
		n := l.newEntry(*at[goja.Value](e, l.entKey), *at[goja.Value](e, l.entValue), prev)
		entries.add(uintptr(e), n)
		c.value(at[goja.Value](n, l.entKey))
		c.value(at[goja.Value](n, l.entValue))
		if prev == nil {
			*at[ptr](d, l.omFirst) = n
		}
		prev = n
	}
	*at[ptr](d, l.omLast) = prev

	table := make(map[uint64]ptr, n)
	for h, e := range *at[map[uint64]ptr](m, l.omTable) {
		for ; e != nil; e = *at[ptr](e, l.entH) {
			n, _ := entries.get(uintptr(e))
			l.insert(table, h, n)
		}
	}
	*at[map[uint64]ptr](d, l.omTable) = table
	return d
}

// newEntry makes an entry and appends it to prev.
func (l *layout) newEntry(key, value goja.Value, prev ptr) ptr {
	n := reflect.New(l.mapEntry).UnsafePointer()
	*at[goja.Value](n, l.entKey) = key
	*at[goja.Value](n, l.entValue) = value
	*at[ptr](n, l.entPrev) = prev
	if prev != nil {
		*at[ptr](prev, l.entNext) = n
	}
	return n
}

// insert puts entry e into the table; h is its hash unless its key is an object.
func (l *layout) insert(table map[uint64]ptr, h uint64, e ptr) {
	if k := at[words](e, l.entKey); k.tab == l.objectTab {
		h = uint64(uintptr(k.data))
	}
	*at[ptr](e, l.entH) = table[h]
	table[h] = e
}

// rehash makes the table of the ordered map at m anew, after keys of it changed.
func (l *layout) rehash(m ptr) {
	old := *at[map[uint64]ptr](m, l.omTable)
	table := make(map[uint64]ptr, len(old))
	for h, e := range old {
		for e != nil {
			next := *at[ptr](e, l.entH)
			l.insert(table, h, e)
			e = next
		}
	}
	*at[map[uint64]ptr](m, l.omTable) = table
}

// placeIterators moves the places of copied iterators from the entries of the
// original maps to those of the copies.
func (c *cloner) placeIterators() {
	l := c.h.l
	tables := map[ptr]*addrs[ptr]{} // by the original's map
	for _, it := range c.iters {
		src, dst := *at[ptr](it.src, l.oiMap), *at[ptr](it.dst, l.oiMap)
		if src == nil || src == dst {
			continue
		}
		t := tables[src]
		if t == nil {
			t = l.pairEntries(src, dst)
			tables[src] = t
		}
		*at[ptr](it.dst, l.oiCur) = l.counterpart(t, *at[ptr](it.src, l.oiCur))
	}
}

// pairEntries maps the entries of one ordered map to those of its copy.
func (l *layout) pairEntries(from, to ptr) *addrs[ptr] {
	t := newAddrs[ptr](*at[int](from, l.omSize))
	f := *at[ptr](to, l.omFirst)
	for e := *at[ptr](from, l.omFirst); e != nil && f != nil; e, f = *at[ptr](e, l.entNext), *at[ptr](f, l.entNext) {
		t.add(uintptr(e), f)
	}
	return t
}

// counterpart returns the place in the copy that continues as e does in the
// original: that of the nearest entry before e that was not deleted.
func (l *layout) counterpart(t *addrs[ptr], e ptr) ptr {
	for e != nil && *at[goja.Value](e, l.entKey) == nil {
		e = *at[ptr](e, l.entPrev)
	}
	if e == nil {
		return nil
	}
	n, _ := t.get(uintptr(e))
	return n
}
