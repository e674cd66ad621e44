package sexton

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/dop251/goja"

	"github.com/sextongc/sexton/gcext"
	"github.com/sextongc/sexton/objectstore"
	"github.com/sextongc/sexton/runtime"
)

var coreExports = []string{"Resource", "Environment", "GC", "ObjectDestroyedError", "PermissionDenied"}

// coreModule is the module "sexton".
func (s *Session) coreModule() *runtime.Extension {
	return &runtime.Extension{Name: "sexton", Exports: coreExports, Open: func(rt *runtime.Runtime) (*runtime.Module, error) {
		var err error
		if s.registry, err = objectstore.NewRegistry(rt.Goja(), rt.Heap()); err != nil {
			return nil, err
		}
		s.registry.UseSecrets(s.opts.Mask)
		if s.gc, err = gcext.NewModule(rt, s.registry); err != nil {
			return nil, err
		}
		exports := s.registry.Exports()
		exports["GC"] = s.gc.Object()
		if exports["PermissionDenied"], err = runtime.PermissionDenied(rt); err != nil {
			return nil, err
		}
		return &runtime.Module{Exports: exports}, rt.Goja().GlobalObject().DefineDataProperty("GC", s.gc.Object(), goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE)
	}}
}

// attribute names the object on whose behalf an effect happens: the one that the call names, else
// that of the async context, else the root.
func (s *Session) attribute(async any, of *goja.Object) (id string, incarnation uint64, token string, err error) {
	if s.store == nil {
		return "", 0, "", nil
	}
	o := s.store.Root()
	if c, ok := async.(*gcext.Context); ok && c.Object != nil {
		o = c.Object
	}
	if of != nil {
		if o = s.registry.Find(of); o == nil {
			return "", 0, "", fmt.Errorf("of: expected a managed object, got %s", objectstore.Describe(of))
		}
	}
	if o == nil {
		return "", 0, "", nil
	}
	if o.State() == objectstore.Destroyed {
		return "", 0, "", &runtime.ScriptError{Name: "ObjectDestroyedError", Message: o.String() + " is destroyed: it cannot have effects any more"}
	}
	if s.store.Loading() {
		return "", 0, "", fmt.Errorf("constructors make no effects while the environment is loaded; loaded() and deploy() can")
	}
	s.store.Adopt(o)
	if s.opts.journal != nil && s.store.Owns(o) {
		if err := s.opts.journal.Introduce(s.store, o); err != nil {
			return "", 0, "", err
		}
	}
	return o.ID, o.Incarnation, s.gc.Token(o), nil
}

// registerClasses registers what a module of a package exports under the package's name.
func (s *Session) registerClasses(namespace *goja.Object, pkg, version string) error {
	if namespace == nil {
		return nil
	}
	return s.rt.Try(s.settings(Settings{}).HandlerTimeout, func() error {
		names := namespace.Keys()
		slices.Sort(names)
		for _, name := range names {
			v := namespace.Get(name)
			if !s.registry.IsClass(v) || name == "default" {
				continue
			}
			if builtin := s.registry.Class(v.(*goja.Object)); builtin != nil && builtin.Builtin {
				continue // exported on
			}
			if err := s.registry.Register(pkg+"/"+name, version, v.(*goja.Object)); err != nil {
				return err
			}
		}
		return nil
	})
}

// readConfig reads the values of `config` properties from package.json.
func (s *Session) readConfig() error {
	s.config = map[string]objectstore.Value{}
	for name, raw := range s.Package.Config {
		var v any
		if err := json.Unmarshal(raw, &v); err != nil {
			return fmt.Errorf("%s: sexton.config.%s: %w", filepath.Join(s.Package.Dir, "package.json"), name, err)
		}
		s.config[name] = plainJSON(v)
	}
	return nil
}

// plainJSON turns what encoding/json decodes into a plain value, keys sorted.
func plainJSON(v any) objectstore.Value {
	switch v := v.(type) {
	case []any:
		for i, e := range v {
			v[i] = plainJSON(e)
		}
		return v
	case map[string]any:
		r := &objectstore.Record{}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			r.Fields = append(r.Fields, objectstore.Field{Name: key, Value: plainJSON(v[key])})
		}
		return r
	}
	return v
}
