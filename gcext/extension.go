package gcext

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strconv"

	"github.com/dop251/goja"

	"github.com/sextongc/sexton/objectstore"
	"github.com/sextongc/sexton/runtime"
)

// Module is the GC object of one runtime, and what it acts on. The object exists from the start,
// because modules import it; environments come and go.
type Module struct {
	rt        *runtime.Runtime
	registry  *objectstore.Registry
	collector *Collector
	ctx       context.Context
	tokenKey  string
	object    *goja.Object
	overdue   map[string]*overdue // by token
}

// NewModule makes the GC object of rt.
func NewModule(rt *runtime.Runtime, registry *objectstore.Registry) (*Module, error) {
	m := &Module{rt: rt, registry: registry, object: rt.Goja().NewObject(), overdue: map[string]*overdue{}}
	registry.GuardDestroy(func(o *objectstore.Object) bool {
		ctx, _ := rt.Context().(*Context)
		return ctx != nil && ctx.destroying && ctx.Object == o
	})
	registry.OnBehalf(func(o *objectstore.Object, fn func()) {
		ctx := &Context{Object: o}
		if outer, ok := rt.Context().(*Context); ok {
			ctx.Limit, ctx.collection = outer.Limit, outer.collection
		}
		rt.WithContext(ctx, fn)
	})
	registry.OnBlame(func(o *objectstore.Object, thrown goja.Value) { rt.Blame(thrown, o.String()) })
	for _, f := range []struct {
		name string
		call func(goja.FunctionCall) goja.Value
	}{
		{"collect", m.collect},
		{"isDestroyed", m.isDestroyed},
		{"isDoomed", m.isDoomed},
		{"subscribeDestruction", m.subscribe},
		{"unsubscribeDestruction", m.unsubscribe},
		{"plan", m.plan},
		{"token", m.token},
	} {
		if err := m.object.DefineDataProperty(f.name, rt.Func(f.name, f.call), goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_TRUE); err != nil {
			return nil, fmt.Errorf("GC.%s: %w", f.name, err)
		}
	}
	why := rt.Goja().ToValue(m.why).(*goja.Object) // not a Func: it has to get at its arguments' places
	if err := why.DefineDataProperty("name", rt.Goja().ToValue("why"), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE); err != nil {
		return nil, err
	}
	return m, m.object.DefineDataProperty("why", why, goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_TRUE)
}

// Object is the GC object: a global, and an export of "sexton".
func (m *Module) Object() *goja.Object { return m.object }

// Use makes the GC object act on an environment. tokenKey tells its tokens from other environments';
// collections that scripts ask for end early when ctx is done (gc 5.8).
func (m *Module) Use(ctx context.Context, c *Collector, tokenKey string) {
	m.ctx, m.collector, m.tokenKey = ctx, c, tokenKey
	c.overdue, c.token = m.overdue, m.Token
}

func (m *Module) typeError(format string, args ...any) *goja.Object {
	return m.rt.Goja().NewTypeError("%s", fmt.Sprintf(format, args...))
}

// managed returns the managed object that is the call's i-th argument.
func (m *Module) managed(call goja.FunctionCall, function string, i int) *objectstore.Object {
	if o := m.registry.Find(call.Argument(i)); o != nil {
		return o
	}
	ordinal := [...]string{"first", "second", "third"}[i]
	panic(m.typeError("GC.%s: the %s argument must be a managed object, got %s", function, ordinal, objectstore.Describe(call.Argument(i))))
}

func (m *Module) isDestroyed(call goja.FunctionCall) goja.Value {
	return m.rt.Goja().ToValue(m.managed(call, "isDestroyed", 0).State() == objectstore.Destroyed)
}

func (m *Module) isDoomed(call goja.FunctionCall) goja.Value {
	return m.rt.Goja().ToValue(m.managed(call, "isDoomed", 0).State() != objectstore.Live)
}

func (m *Module) subscribe(call goja.FunctionCall) goja.Value {
	publisher, subscriber := m.managed(call, "subscribeDestruction", 0), m.managed(call, "subscribeDestruction", 1)
	handler := m.handler(call, "subscribeDestruction")
	s := m.current()
	if handler != "" && subscriber.Class != nil {
		if err := subscriber.Class.CheckHandler(handler); err != nil {
			panic(m.typeError("GC.subscribeDestruction: %v", err))
		}
	}
	for _, o := range []*objectstore.Object{publisher, subscriber} {
		if !s.Owns(o) {
			panic(m.typeError("GC.subscribeDestruction: %s belongs to an earlier deployment", o))
		}
		if o.State() == objectstore.Destroyed && !s.Loading() {
			panic(m.registry.DestroyedError(o, "nothing can subscribe to it or with it any more"))
		}
	}
	s.Subscribe(publisher, subscriber, handler, objectstore.Caller(m.rt.Goja()))
	return goja.Undefined()
}

func (m *Module) unsubscribe(call goja.FunctionCall) goja.Value {
	publisher, subscriber := m.managed(call, "unsubscribeDestruction", 0), m.managed(call, "unsubscribeDestruction", 1)
	m.current().Unsubscribe(publisher, subscriber, m.handler(call, "unsubscribeDestruction"))
	return goja.Undefined()
}

func (m *Module) handler(call goja.FunctionCall, function string) string {
	v := call.Argument(2)
	if goja.IsUndefined(v) || goja.IsNull(v) {
		return ""
	}
	name, ok := v.(goja.String)
	if !ok || name.Length() == 0 {
		panic(m.typeError("GC.%s: the handler (third argument) must be the name of a method of the subscriber's class, got %s", function, objectstore.Describe(v)))
	}
	return name.String()
}

func (m *Module) current() *objectstore.Store {
	s := m.registry.Current()
	if s == nil {
		panic(m.typeError("GC: no environment is loaded"))
	}
	return s
}

// collect is GC.collect(): gc 2.1 and 5.7.
func (m *Module) collect(goja.FunctionCall) goja.Value {
	vm, c := m.rt.Goja(), m.collector
	if c == nil || m.current().Loading() {
		panic(m.typeError("GC.collect: constructors cannot collect while the environment is loaded; loaded() can"))
	}
	promise, resolve, reject := vm.NewPromise()
	if c.running != nil && c.within() {
		c.running.again = true
		deferred := vm.NewObject()
		if err := deferred.Set("deferred", true); err != nil {
			panic(err)
		}
		if err := resolve(deferred); err != nil {
			panic(err)
		}
		return vm.ToValue(promise)
	}
	var run *collection
	if c.running == nil {
		run = c.begin(m.ctx, OnDemand)
	}
	m.rt.WithContext(nil, func() {
		m.rt.Go(func(t *runtime.Task) {
			report, err := c.finish(t, run)
			if err != nil {
				err = reject(m.rt.ErrorValue(err))
			} else {
				err = resolve(reportValue(vm, report))
			}
			if err != nil {
				panic(err)
			}
		})
	})
	return vm.ToValue(promise)
}

func reportValue(vm *goja.Runtime, r *Report) goja.Value {
	list := func(n int, fields func(i int) map[string]string, order ...string) goja.Value {
		items := make([]any, n)
		for i := range n {
			o, f := vm.NewObject(), fields(i)
			for _, key := range order {
				if err := o.Set(key, f[key]); err != nil {
					panic(err)
				}
			}
			items[i] = o
		}
		return vm.NewArray(items...)
	}
	failed := list(len(r.Failed), func(i int) map[string]string {
		f := r.Failed[i]
		return map[string]string{"id": f.ID, "type": f.Type, "error": f.Error}
	}, "id", "type", "error")
	blocked := list(len(r.Blocked), func(i int) map[string]string {
		b := r.Blocked[i]
		return map[string]string{"id": b.ID, "type": b.Type, "by": b.By}
	}, "id", "type", "by")
	o := vm.NewObject()
	for _, f := range []struct {
		name  string
		value any
	}{{"destroyed", r.Destroyed}, {"notified", r.Notified}, {"rounds", r.Rounds}, {"failed", failed}, {"blocked", blocked}} {
		if err := o.Set(f.name, f.value); err != nil {
			panic(err)
		}
	}
	return o
}

// Token returns the string that is the same in every attempt to destroy o, and different for every
// other object, incarnation and environment (GC.token).
func (m *Module) Token(o *objectstore.Object) string { return Token(m.tokenKey, o.ID, o.Incarnation) }

// Token is GC.token of an object of the environment with this key.
func Token(key, id string, incarnation uint64) string {
	h := sha256.New()
	for _, part := range []string{key, id, strconv.FormatUint(incarnation, 10)} {
		fmt.Fprintf(h, "%d:%s,", len(part), part)
	}
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:18])
}

func (m *Module) token(call goja.FunctionCall) goja.Value {
	return m.rt.Goja().ToValue(m.Token(m.managed(call, "token", 0)))
}
