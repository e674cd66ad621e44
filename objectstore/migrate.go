package objectstore

import (
	"fmt"
	"reflect"

	"github.com/dop251/goja"
	"golang.org/x/mod/semver"
)

// A NewerError says that an object was saved by a later version of its package than the one that is to load it.
type NewerError struct{ Saved, Version string }

func (e *NewerError) Error() string {
	return fmt.Sprintf("it was saved by version %s of its package, and this is version %s: use that version or a later one; "+
		"if this code understands what was saved, say so by a version in package.json that is not below", e.Saved, e.Version)
}

// Migrate returns an entry as the present version of its class wants it. Where the entry was saved by an older version, and
// the class has a method `static migrate(properties, fromVersion)`, that gets the properties and returns those of now: plain
// data, with references to objects as { $ref: id }. Entries of other versions, and of classes without the method, are
// returned as they are; one of a newer version is a *NewerError. Versions that are no semantic ones count as older than all
// others, and among themselves as older unless they are the same.
//
// No object of the graph exists yet. Destroyed and doomed objects are migrated like others: their classes have to understand
// what they hold. Migrate calls scripts, and belongs to the goroutine of the registry's runtime.
func (g *Registry) Migrate(e *Entry) (*Entry, error) {
	c, err := g.Lookup(e.Type)
	if err != nil || c.Version == e.Version || c.Version == "" {
		return e, nil // without its class it is kept as it is
	}
	if e.Version != "" && semver.IsValid("v"+c.Version) && semver.Compare("v"+e.Version, "v"+c.Version) > 0 {
		return nil, &NewerError{e.Version, c.Version}
	}
	v, ok := c.script.constructor.Object().Get("migrate").(*goja.Object)
	if !ok || semver.IsValid("v"+e.Version) && semver.Compare("v"+e.Version, "v"+c.Version) == 0 { // it differs in its build
		return e, nil
	}
	method, ok := goja.AssertFunction(v)
	if !ok {
		return nil, fmt.Errorf("migrate is no method")
	}
	given := g.toScript(asData(&Record{e.Properties}), nil)
	result, err := method(c.script.constructor.Object(), given, g.vm.ToValue(e.Version))
	if err != nil {
		return nil, err
	}
	if o, ok := result.(*goja.Object); ok && o.ExportType() == reflect.TypeFor[*goja.Promise]() {
		return nil, fmt.Errorf("migrate returned a promise: it must return the properties, and not wait for anything")
	}
	plain, err := g.plain(anyType, result, "")
	if err != nil {
		return nil, fmt.Errorf("what migrate returned: %w", err)
	}
	record, ok := asValue(plain).(*Record)
	if !ok {
		return nil, fmt.Errorf("migrate returned %s: it must return an object with the properties", Describe(result))
	}
	migrated := *e
	migrated.Version, migrated.Properties = c.Version, nil
	known := 0
	for _, p := range c.Properties {
		if value, has := record.Lookup(p.Name); has {
			known++
			if _, undefined := value.(Undefined); undefined {
				continue
			}
			if !p.Usage.Persistable() {
				return nil, fmt.Errorf("migrate returned property %s, which is not saved", p.Name)
			}
			migrated.Properties = append(migrated.Properties, Field{p.Name, value})
		}
	}
	if known < len(record.Fields) {
		for _, f := range record.Fields {
			if _, undefined := f.Value.(Undefined); !undefined && c.Property(f.Name) == nil {
				return nil, fmt.Errorf("migrate returned property %s, which the class does not declare%s", f.Name, nearest(f.Name, c))
			}
		}
	}
	return &migrated, nil
}

// asData returns a value with references as scripts see them before there are objects.
func asData(v Value) Value {
	return mapValue(v, func(v Value) Value {
		if r, ok := v.(Ref); ok {
			return &Record{[]Field{{"$ref", string(r)}}}
		}
		return v
	})
}

// asValue is the opposite of asData.
func asValue(v Value) Value {
	return mapValue(v, func(v Value) Value {
		if r, ok := v.(*Record); ok && len(r.Fields) == 1 && r.Fields[0].Name == "$ref" {
			if id, ok := r.Fields[0].Value.(string); ok {
				return Ref(id)
			}
		}
		return v
	})
}

// mapValue returns a copy of a value with each value in it replaced, those inside first.
func mapValue(v Value, change func(Value) Value) Value {
	list := func(values []Value) []Value {
		out := make([]Value, len(values))
		for i, e := range values {
			out[i] = mapValue(e, change)
		}
		return out
	}
	switch x := v.(type) {
	case []Value:
		v = list(x)
	case *Record:
		r := &Record{make([]Field, len(x.Fields))}
		for i, f := range x.Fields {
			r.Fields[i] = Field{f.Name, mapValue(f.Value, change)}
		}
		v = r
	case *Map:
		m := &Map{make([]MapEntry, len(x.Entries))}
		for i, e := range x.Entries {
			m.Entries[i] = MapEntry{mapValue(e.Key, change), mapValue(e.Value, change)}
		}
		v = m
	case *Set:
		v = &Set{list(x.Items)}
	}
	return change(v)
}
