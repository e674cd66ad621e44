package objectstore_test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton/internal/vmheap"
	"github.com/sextongc/sexton/objectstore"
)

// env is a runtime with managed classes: what the package needs, and no event loop.
type env struct {
	t  testing.TB
	vm *goja.Runtime
	h  *vmheap.Heap
	g  *objectstore.Registry
	s  *objectstore.Store
}

// newEnv evaluates classes, an object literal's inside: "A: class extends Resource { … }", and registers
// them as shop/A and so on.
func newEnv(t testing.TB, classes string) *env {
	t.Helper()
	e := tryEnv(t)
	require.NoError(t, e.register(classes))
	return e
}

func tryEnv(t testing.TB) *env {
	t.Helper()
	vm := goja.New()
	h, err := vmheap.New(vm)
	require.NoError(t, err)
	require.NoError(t, h.InstallPrelude())
	g, err := objectstore.NewRegistry(vm, h)
	require.NoError(t, err)
	for name, v := range g.Exports() {
		require.NoError(t, vm.Set(name, v))
	}
	e := &env{t: t, vm: vm, h: h, g: g}
	set := func(name string, f func(goja.FunctionCall) goja.Value) { require.NoError(t, vm.Set(name, f)) }
	set("subscribe", func(c goja.FunctionCall) goja.Value {
		e.s.Subscribe(g.Find(c.Argument(0)), g.Find(c.Argument(1)), c.Argument(2).String(), "")
		return goja.Undefined()
	})
	set("unsubscribe", func(c goja.FunctionCall) goja.Value {
		e.s.Unsubscribe(g.Find(c.Argument(0)), g.Find(c.Argument(1)), c.Argument(2).String())
		return goja.Undefined()
	})
	e.open(nil)
	return e
}

// open makes a new store; ids that scripts do not give are "#1", "#2", …
func (e *env) open(opts *objectstore.Options) *objectstore.Store {
	if opts == nil {
		opts = &objectstore.Options{}
	}
	n := 0
	if opts.NewID == nil {
		opts.NewID = func() string { n++; return fmt.Sprintf("#%d", n) }
	}
	e.s = e.g.NewStore(opts)
	return e.s
}

var classNames = regexp.MustCompile(`(?m)^\s*class (\w+)`)

// register evaluates statements, and registers each class that begins a line of them as shop/<name>.
func (e *env) register(source string) error {
	if _, err := e.vm.RunString(source); err != nil {
		return err
	}
	for _, match := range classNames.FindAllStringSubmatch(source, -1) {
		class, err := e.vm.RunString(match[1])
		if err != nil {
			return err
		}
		if !e.g.IsClass(class) {
			continue
		}
		if err := e.g.Register("shop/"+match[1], "1.0.0", class.(*goja.Object)); err != nil {
			return err
		}
	}
	return e.g.Resolve()
}

// run evaluates a script that must not throw.
func (e *env) run(script string) goja.Value {
	e.t.Helper()
	v, err := e.vm.RunString("\"use strict\";{" + script + "\n}")
	require.NoError(e.t, err, script)
	return v
}

// fails evaluates a script that must throw, and returns what String() makes of it.
func (e *env) fails(script string) string {
	e.t.Helper()
	_, err := e.vm.RunString("\"use strict\";{" + script + "\n}")
	var thrown *goja.Exception
	require.ErrorAs(e.t, err, &thrown, script)
	return thrown.Value().String()
}

// object runs an expression that gives a managed object.
func (e *env) object(script string) *objectstore.Object {
	e.t.Helper()
	o := e.g.Find(e.run(script))
	require.NotNil(e.t, o, script)
	return o
}

// load restores a graph into a new store; constructors have no limits.
func (e *env) load(g *objectstore.Graph) {
	e.t.Helper()
	e.open(nil)
	require.NoError(e.t, e.s.Load(g, plainly))
	for _, entry := range g.Objects {
		if o := e.s.Lookup(entry.ID); o != nil {
			require.NoError(e.t, e.vm.Set(entry.ID, o.Value()))
		}
	}
}

func plainly(_ *objectstore.Object, construct func() error) error { return construct() }

func (e *env) snapshot() *objectstore.Graph {
	e.t.Helper()
	g, err := e.s.Snapshot()
	require.NoError(e.t, err)
	return g
}
