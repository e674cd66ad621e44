package objectstore

import (
	"slices"

	"github.com/dop251/goja"
)

// Secrets hears of the values of properties of type "secret", and knows in which texts they are.
type Secrets interface {
	Learn(secret string)
	Within(text string) bool
}

// UseSecrets sets who hears of secrets; nobody does before. Strings that have a secret in them are saved as
// secrets, too, whatever the type of their property.
func (g *Registry) UseSecrets(s Secrets) { g.secrets = s }

func (c *converter) secret(v goja.String) (Value, error) {
	plain, err := plainString(v)
	if err != nil {
		return nil, err
	}
	if s := c.registry.secrets; s != nil {
		s.Learn(plain.(string))
	}
	return Secret(plain.(string)), nil
}

func (c *converter) string(v goja.String) (Value, error) {
	plain, err := plainString(v)
	if s := c.registry.secrets; err == nil && s != nil && s.Within(plain.(string)) {
		return Secret(plain.(string)), nil
	}
	return plain, err
}

// LearnSecrets tells of the secrets that objects have now. What cannot be read is passed over. It may run getters, so it
// is to be called where scripts run: it panics like them when they are interrupted.
func (s *Store) LearnSecrets() {
	g := s.registry
	if g.secrets == nil || !slices.ContainsFunc(g.all, (*Class).holdsSecrets) {
		return
	}
	for _, o := range s.objects {
		if o.Class == nil || !o.Class.holdsSecrets() || o.broken != "" || o.state == Destroyed {
			continue
		}
		for _, p := range o.Class.Properties {
			if !p.Type.holdsSecrets() {
				continue
			}
			v := o.ref.Object()
			if v == nil {
				break
			}
			err := g.try(func() error {
				_, err := (&converter{registry: g}).toValue(p.Type, v.Get(p.Name))
				return err
			})
			if stopped(err) { // a getter was; so is the script that is around this
				panic(err)
			}
		}
	}
}

// holdsSecrets reports whether values of the type may have parts of type "secret".
func (t *Type) holdsSecrets() bool {
	switch t.Kind {
	case KindSecret:
		return true
	case KindList, KindMap:
		return t.Elem.holdsSecrets()
	case KindShape:
		return slices.ContainsFunc(t.Fields, func(p *Property) bool { return p.Type.holdsSecrets() })
	}
	return false
}

func (c *Class) holdsSecrets() bool {
	return slices.ContainsFunc(c.Properties, func(p *Property) bool { return p.Type.holdsSecrets() })
}

// MapSecrets returns v with what change makes of each Secret and Sealed in it. Neither v nor what it holds is
// changed; without any secret, v itself is returned.
func MapSecrets(v Value, change func(Value) Value) Value {
	if !hasSecret(v) {
		return v
	}
	list := func(in []Value) []Value {
		out := make([]Value, len(in))
		for i, e := range in {
			out[i] = MapSecrets(e, change)
		}
		return out
	}
	switch v := v.(type) {
	case []Value:
		return list(v)
	case *Record:
		r := &Record{Fields: slices.Clone(v.Fields)}
		for i := range r.Fields {
			r.Fields[i].Value = MapSecrets(r.Fields[i].Value, change)
		}
		return r
	case *Map:
		m := &Map{Entries: make([]MapEntry, len(v.Entries))}
		for i, e := range v.Entries {
			m.Entries[i] = MapEntry{MapSecrets(e.Key, change), MapSecrets(e.Value, change)}
		}
		return m
	case *Set:
		return &Set{Items: list(v.Items)}
	}
	return change(v)
}

func hasSecret(v Value) bool {
	switch v := v.(type) {
	case Secret, Sealed:
		return true
	case []Value:
		return slices.ContainsFunc(v, hasSecret)
	case *Record:
		return slices.ContainsFunc(v.Fields, func(f Field) bool { return hasSecret(f.Value) })
	case *Map:
		return slices.ContainsFunc(v.Entries, func(e MapEntry) bool { return hasSecret(e.Key) || hasSecret(e.Value) })
	case *Set:
		return slices.ContainsFunc(v.Items, hasSecret)
	}
	return false
}

// MapSecrets returns the entry with its properties as the function of that name makes them; e itself if it has no
// secrets.
func (e *Entry) MapSecrets(change func(Value) Value) *Entry {
	if !slices.ContainsFunc(e.Properties, func(f Field) bool { return hasSecret(f.Value) }) {
		return e
	}
	changed := *e
	changed.Properties = slices.Clone(e.Properties)
	for i, f := range changed.Properties {
		changed.Properties[i].Value = MapSecrets(f.Value, change)
	}
	return &changed
}
