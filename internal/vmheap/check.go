package vmheap

import (
	_ "embed"
	"fmt"
	"reflect"
	"sort"
	"strings"

	"github.com/dop251/goja"
)

// layoutText lists the fields of every struct of goja that plans follow, as this
// package was written and tested against: "type.field type" per line. A goja that
// differs has to be looked at: a new field may refer to objects, a changed one may
// mean something else.
//
//go:embed layout.txt
var layoutText string

// newEngine resolves the layout, makes the plans of everything that sample programs
// lead to, and compares them with text.
func newEngine(expect map[string]string, text string) (e *engine, err error) {
	defer func() {
		if x := recover(); x != nil { // of reflect or goja, when a sample is not what it was
			e, err = nil, fmt.Errorf("vmheap: incompatible goja: %v", x)
		}
	}()
	r := &resolver{expect: expect}
	l, samples := resolve(r)
	if r.err != nil {
		return nil, r.err
	}
	e = &engine{l: l, plans: newPlanner(l)}
	newHeap(samples, e).trace(nil, nil)
	if e.plans.err != nil {
		return nil, e.plans.err
	}
	if err := compareLayout(text, e.plans.describe()); err != nil {
		return nil, err
	}
	l.learnClosures(func(name string) *goja.Object {
		return samples.Get("samples").ToObject(samples).Get(name).ToObject(samples)
	}, e.plans.structs())
	return e, nil
}

// structs returns, by name, all structs of goja that plans follow.
func (pl *planner) structs() map[string]reflect.Type {
	pl.mu.Lock()
	defer pl.mu.Unlock()
	types := map[string]reflect.Type{}
	var add func(t reflect.Type)
	add = func(t reflect.Type) { // as deep as structs are nested
		if t.Kind() != reflect.Struct || !inGoja(t) || types[t.Name()] != nil {
			return
		}
		types[t.Name()] = t
		for i := range t.NumField() {
			add(t.Field(i).Type)
		}
	}
	for t, p := range pl.plans {
		if len(p.ops) > 0 {
			add(t)
		}
	}
	add(pl.l.orderedMap)
	add(pl.l.mapEntry)
	return types
}

// describe lists the fields of those structs.
func (pl *planner) describe() string {
	types := pl.structs()
	var lines []string
	for _, t := range types {
		for i := range t.NumField() {
			f := t.Field(i)
			lines = append(lines, fmt.Sprintf("%s.%s %s\n", t.Name(), f.Name, f.Type))
		}
	}
	sort.Strings(lines)
	return strings.Join(lines, "")
}

// compareLayout names the first field that is not as it was.
func compareLayout(want, got string) error {
	parse := func(s string) map[string]string {
		m := map[string]string{}
		for line := range strings.Lines(s) {
			if name, typ, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
				m[name] = typ
			}
		}
		return m
	}
	w, g := parse(want), parse(got)
	names := make([]string, 0, len(w)+len(g))
	for name := range w {
		names = append(names, name)
	}
	for name := range g {
		if w[name] == "" {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	for _, name := range names {
		switch {
		case g[name] == "":
			return fmt.Errorf("vmheap: incompatible goja: no field %s, which was %s", name, w[name])
		case w[name] == "":
			return fmt.Errorf("vmheap: incompatible goja: unknown field %s of type %s", name, g[name])
		case w[name] != g[name]:
			return fmt.Errorf("vmheap: incompatible goja: field %s is %s, want %s", name, g[name], w[name])
		}
	}
	return nil
}
