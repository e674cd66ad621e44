package objectstore

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dop251/goja"

	"github.com/sextongc/sexton/internal/vmheap"
)

// scriptClass is the half of a Class that lives in a runtime.
type scriptClass struct {
	constructor *vmheap.Ref
	prototype   *goja.Object
	tombstone   *goja.Object // prototype of destroyed instances; made when first needed
	destroy     *goja.Object // the class's own destroy(), nil if it defines none
	index       int          // in Registry.all
	fields      []classField // the class's own fields
	heir        *Class       // the first class that was seen to extend it
	invalid     error        // what is wrong with its declarations
}

// Registry knows the classes of one runtime. It is not safe for concurrent use.
type Registry struct {
	vm        *goja.Runtime
	heap      *vmheap.Heap
	lib       library
	byName    map[string]*Class
	byShort   map[string][]*Class
	byCtor    map[*goja.Object]*Class
	all       []*Class
	pending   []pendingTypes
	inDestroy func(*Object) bool
	onBehalf  func(*Object, func())
	blame     func(*Object, goja.Value)
	secrets   Secrets // nil: nobody hears of them
	store     *Store  // the environment that constructors register with; nil between deployments
}

// pendingTypes is a class whose declarations are still to be read: types may name classes that are
// registered later.
type pendingTypes struct {
	class       *Class
	constructor *goja.Object
}

// Resource returns the base class of all managed objects.
func (g *Registry) Resource() *Class { return g.all[0] }

// Environment returns the built-in root class.
func (g *Registry) Environment() *Class { return g.byName["Environment"] }

// Exports returns what the module "sexton" offers of this package: Resource, Environment and
// ObjectDestroyedError.
func (g *Registry) Exports() map[string]goja.Value {
	return map[string]goja.Value{
		"Resource":             g.lib.get("Resource"),
		"Environment":          g.lib.get("Environment"),
		"ObjectDestroyedError": g.lib.get("ObjectDestroyedError"),
	}
}

// IsClass reports whether v is a class that extends Resource, or Resource itself.
func (g *Registry) IsClass(v goja.Value) bool {
	o, ok := v.(*goja.Object)
	if !ok {
		return false
	}
	if _, callable := goja.AssertFunction(o); !callable {
		return false
	}
	resource := g.Resource().script.constructor.Object()
	for ; o != nil; o = o.Prototype() {
		if o == resource {
			return true
		}
	}
	return false
}

// Register makes a class known under a qualified name. A class that is registered already keeps its
// first name. Names, types and the class hierarchy are checked by Resolve.
func (g *Registry) Register(name, version string, constructor *goja.Object) error {
	if c := g.byCtor[constructor]; c != nil && c.Name != "" {
		return nil
	}
	if c := g.byName[name]; c != nil {
		return fmt.Errorf("class %s is registered already", name)
	}
	c, err := g.adopt(constructor)
	if err != nil {
		return fmt.Errorf("class %s: %w", name, err)
	}
	c.Name, c.Version = name, version
	g.byName[name] = c
	g.byShort[c.Short()] = append(g.byShort[c.Short()], c)
	return nil
}

// adopt takes a class and its bases into the registry, nameless.
func (g *Registry) adopt(constructor *goja.Object) (*Class, error) {
	var chain []*goja.Object // from the class up to the first known base
	for o := constructor; g.byCtor[o] == nil; o = o.Prototype() {
		if o == nil {
			return nil, fmt.Errorf("does not extend Resource")
		}
		chain = append(chain, o)
	}
	slices.Reverse(chain)
	for _, o := range chain {
		prototype, ok := o.Get("prototype").(*goja.Object)
		if !ok {
			return nil, fmt.Errorf("has no prototype")
		}
		names := prototype.GetOwnPropertyNames()
		if i := slices.IndexFunc(names, func(name string) bool { return strings.HasPrefix(name, "$") }); i >= 0 {
			return nil, fmt.Errorf("method %s: names that begin with $ are reserved", names[i])
		}
		c := &Class{Base: g.byCtor[o.Prototype()], script: scriptClass{prototype: prototype, index: len(g.all)}}
		c.script.constructor = g.heap.Track(o, c)
		if c.Base.script.heir == nil {
			c.Base.script.heir = c
		}
		if slices.Contains(names, "destroy") {
			if c.Is(g.Environment()) {
				return nil, fmt.Errorf("a subclass of Environment cannot define destroy()")
			}
			own, err := g.lib.call("guard", prototype, g.vm.ToValue(c.script.index))
			if err != nil {
				return nil, err
			}
			if c.script.destroy, ok = own.(*goja.Object); !ok {
				return nil, fmt.Errorf("destroy is no method")
			}
		}
		if slices.Contains(names, "deploy") {
			if _, err := g.lib.call("within", prototype); err != nil {
				return nil, err
			}
		}
		g.all = append(g.all, c)
		g.byCtor[o] = c
		g.pending = append(g.pending, pendingTypes{c, o})
	}
	return g.byCtor[constructor], nil
}

// Resolve reads the `static properties` of all classes that were registered since the last call.
// Those of a class that is in error are an error at each `new` of it as well. The error is made of
// *DeclarationErrors.
func (g *Registry) Resolve() error {
	var errs []error
	for len(g.pending) > 0 {
		p := g.pending[0]
		g.pending = g.pending[1:]
		p.class.script.invalid = g.try(func() error {
			if err := g.readProperties(p.class, p.constructor); err != nil {
				return g.declared(p.class, err)
			}
			p.class.script.fields, _ = classFields(g.source(p.class))
			return g.checkFields(p.class)
		})
		errs = append(errs, p.class.script.invalid)
	}
	return errors.Join(errs...)
}

// valid returns what is wrong with the declarations of a class or of one of its bases.
func (c *Class) valid() error {
	for ; c != nil; c = c.Base {
		if c.script.invalid != nil {
			return c.script.invalid
		}
	}
	return nil
}

// HasMethod reports whether a registered class, or one of its bases, has a method of that name. It
// belongs to the goroutine of the registry's runtime, and runs no script but a getter of that name.
func (c *Class) HasMethod(name string) bool {
	if name == "constructor" {
		return false
	}
	v, ok := c.script.prototype.Get(name).(*goja.Object)
	return ok && v.ClassName() == "Function"
}

// Lookup finds a class by its qualified name, or by its short name where that is unambiguous.
func (g *Registry) Lookup(name string) (*Class, error) {
	if c := g.byName[name]; c != nil {
		return c, nil
	}
	switch found := g.byShort[name]; len(found) {
	case 1:
		return found[0], nil
	case 0:
		return nil, &UnknownClassError{Name: name}
	default:
		names := make([]string, len(found))
		for i, c := range found {
			names[i] = c.Name
		}
		return nil, fmt.Errorf("type %s is ambiguous: %s", name, strings.Join(names, ", "))
	}
}

// Names returns the qualified names of all registered classes, sorted.
func (g *Registry) Names() []string {
	names := make([]string, 0, len(g.byName))
	for name := range g.byName {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// classOf returns the class of a constructor. One that nobody registered is taken in under the name
// that it has in the script, if the store allows that.
func (g *Registry) classOf(constructor *goja.Object) (*Class, error) {
	if c := g.byCtor[constructor]; c != nil && c.Name != "" {
		return c, c.valid()
	}
	name := "(anonymous)"
	if n, ok := constructor.Get("name").(goja.String); ok && n.String() != "" {
		name = n.String()
	}
	if g.store == nil || !g.store.opts.Anonymous {
		return nil, fmt.Errorf("class %s is not exported by the package's main module; export it, so that the next deployment can load its objects", name)
	}
	if g.store.opts.Package != "" {
		name = g.store.opts.Package + "/" + name
	}
	if old := g.byName[name]; old != nil && g.store.opts.Redeclared {
		delete(g.byName, name)
		g.byShort[old.Short()] = slices.DeleteFunc(g.byShort[old.Short()], func(c *Class) bool { return c == old })
	}
	unique := name
	for n := 2; g.byName[unique] != nil; n++ {
		unique = fmt.Sprintf("%s-%d", name, n)
	}
	if err := g.Register(unique, g.store.opts.Version, constructor); err != nil {
		return nil, err
	}
	if err := g.Resolve(); err != nil {
		return nil, err
	}
	c := g.byCtor[constructor]
	return c, c.valid()
}

// roots returns the constructors: static members of registered classes are roots (gc 2.1).
func (g *Registry) roots() []*vmheap.Ref {
	roots := make([]*vmheap.Ref, len(g.all))
	for i, c := range g.all {
		roots[i] = c.script.constructor
	}
	return roots
}

// Class returns the class of a constructor, nil if it was never seen.
func (g *Registry) Class(constructor *goja.Object) *Class { return g.byCtor[constructor] }
