package objectstore

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dop251/goja"
)

func (s *Store) ownerArgument(v goja.Value) (*Object, error) {
	if v == nil || goja.IsUndefined(v) || goja.IsNull(v) {
		return nil, nil
	}
	o := s.registry.Find(v)
	switch {
	case o == nil:
		return nil, fmt.Errorf("the owner (second argument) must be a managed object, got %s", Describe(v))
	case o.store != s:
		return nil, fmt.Errorf("the owner %s belongs to an earlier deployment", o)
	case o.state == Destroyed:
		return nil, fmt.Errorf("the owner %s is destroyed", o)
	}
	return o, nil
}

// arguments are the own properties of the object that `new` was given.
type arguments struct {
	o    *goja.Object
	keys []string
}

func propertiesArgument(v goja.Value) (arguments, error) {
	if v == nil || goja.IsUndefined(v) || goja.IsNull(v) {
		return arguments{}, nil
	}
	o, ok := v.(*goja.Object)
	if !ok || o.ClassName() == "Array" || isFunction(o) {
		return arguments{}, fmt.Errorf("the properties (first argument) must be an object, got %s", Describe(v))
	}
	return arguments{o, o.Keys()}, nil
}

func (a arguments) get(name string) goja.Value {
	if !slices.Contains(a.keys, name) { // not what Object.prototype has by that name
		return nil
	}
	return a.o.Get(name)
}

func optionsArgument(v goja.Value) (id, name string, err error) {
	if v == nil || goja.IsUndefined(v) || goja.IsNull(v) {
		return "", "", nil
	}
	o, ok := v.(*goja.Object)
	if !ok {
		return "", "", fmt.Errorf("the options (third argument) must be an object { id, name }, got %s", Describe(v))
	}
	for _, key := range o.Keys() {
		v := o.Get(key)
		if goja.IsUndefined(v) {
			continue
		}
		text, ok := v.(goja.String)
		if !ok || hasLoneSurrogate(text) {
			return "", "", fmt.Errorf("option %s must be a string of valid Unicode, got %s", key, Describe(v))
		}
		switch key {
		case "id":
			if id = text.String(); id == "" {
				return "", "", fmt.Errorf("option id is empty")
			}
		case "name":
			name = text.String()
		default:
			return "", "", fmt.Errorf("unknown option %s: id, name", key)
		}
	}
	return id, name, nil
}

// nearest suggests a declared property for a misspelt one.
func nearest(key string, c *Class) string {
	for _, p := range c.Properties {
		if strings.EqualFold(p.Name, key) || Distance(p.Name, key) <= 2 {
			return fmt.Sprintf("; did you mean %s?", p.Name)
		}
	}
	return ""
}

// Distance is the edit distance (Levenshtein) of two names.
func Distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		last := row[0]
		row[0] = i + 1
		for j := range len(b) {
			above := row[j+1]
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(above+1, row[j]+1, last+cost)
			last = above
		}
	}
	return row[len(b)]
}
