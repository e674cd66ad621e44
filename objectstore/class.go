package objectstore

import "strings"

// Kind is the kind of a Type.
type Kind uint8

// The kinds of types that `static properties` can declare.
const (
	KindAny     Kind = iota // JSON data and managed objects, nested at will
	KindString              //
	KindNumber              //
	KindInteger             // a number without a fraction, at most 2^53 - 1 in magnitude
	KindBoolean             //
	KindBytes               // a Uint8Array
	KindDate                // a Date
	KindSecret              // a string that no sink for people shows
	KindClass               // a managed object: a reference, or inline and then owned
	KindList                // an array of Elem
	KindMap                 // a plain object with values of Elem under any key
	KindShape               // a plain object with Fields
	KindEnum                // one of Enum
)

// Type is a declared type. Types are immutable once their class is registered.
type Type struct {
	Kind   Kind
	Class  *Class      // KindClass: resolved when all classes are registered
	Elem   *Type       // KindList, KindMap
	Fields []*Property // KindShape
	Enum   []Value     // KindEnum: strings, numbers, booleans
}

// Usage says who sets a property, and whether it is saved.
type Usage uint8

// The usages of a property.
const (
	UsageIn      Usage = iota // given by the model
	UsageOut                  // set by scripts
	UsageInOut                // both
	UsageConst                // set once
	UsageConfig               // from the package's configuration; not saved
	UsageRuntime              // never saved
)

// Persistable reports whether properties of this usage are saved, and whether references in them
// count for gc 2.4.
func (u Usage) Persistable() bool { return u <= UsageConst }

// Kept reports whether a property that an incoming model does not set keeps its stored value (gc 2.3).
func (u Usage) Kept() bool { return u == UsageOut || u == UsageInOut || u == UsageConst }

// Property is one declared property of a class, or one field of a shape.
type Property struct {
	Name       string
	Type       *Type
	Usage      Usage
	Optional   bool
	HasDefault bool
	Default    Value // a fresh copy is made for each object
}

// Class is a registered class.
type Class struct {
	Name       string      // qualified: "shop/Network"; the built-in classes have no prefix: "Environment"
	Version    string      // version of the package
	Base       *Class      // nil for Resource
	Properties []*Property // inherited ones first, in the order of declaration; an override keeps its place
	Builtin    bool        // Resource and Environment

	byName map[string]*Property
	script scriptClass
}

// Property returns the declared property with this name, nil if there is none.
func (c *Class) Property(name string) *Property {
	if c.byName == nil {
		c.byName = make(map[string]*Property, len(c.Properties))
		for _, p := range c.Properties {
			c.byName[p.Name] = p
		}
	}
	return c.byName[name]
}

// Short is the name without the package: what messages and models may use where it is unambiguous. For a
// class that is not registered it is the name in the script.
func (c *Class) Short() string {
	name := c.label()
	return name[strings.LastIndexByte(name, '/')+1:]
}

// Is reports whether c is other or derived from it.
func (c *Class) Is(other *Class) bool {
	for ; c != nil; c = c.Base {
		if c == other {
			return true
		}
	}
	return false
}

// Classes looks classes up by name.
type Classes interface {
	// Lookup finds a class by its qualified name, or by its short name where that is unambiguous.
	Lookup(name string) (*Class, error)
	// Names returns the qualified names of all registered classes, sorted.
	Names() []string
}
