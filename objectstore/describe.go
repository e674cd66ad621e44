package objectstore

import (
	"fmt"

	"github.com/dop251/goja"
)

const maxShown = 60 // bytes of a string that messages show

// Describe says what a value is, for messages; it runs no script code.
func Describe(v goja.Value) string {
	switch {
	case v == nil || goja.IsUndefined(v):
		return "undefined"
	case goja.IsNull(v):
		return "null"
	}
	switch x := v.(type) {
	case goja.String:
		s := x.String()
		if len(s) > maxShown {
			return fmt.Sprintf("string of length %d", x.Length())
		}
		return fmt.Sprintf("string %q", s)
	case *goja.Symbol:
		return "a symbol"
	case *goja.Object:
		if isFunction(x) {
			return "a function"
		}
		switch name := x.ClassName(); name {
		case "Array":
			return "an array"
		case "Object":
			return "an object"
		default:
			return "a " + name
		}
	}
	switch v.ExportType().Kind().String() {
	case "bool":
		return "boolean " + v.String()
	case "int64", "float64":
		return "number " + v.String()
	}
	return v.String()
}

// UnknownClassError says that no class of this name is registered.
type UnknownClassError struct{ Name string }

func (e *UnknownClassError) Error() string { return fmt.Sprintf("unknown type %s", e.Name) }

// A ValueError says that a value does not fit its declared type, and where.
type ValueError struct {
	Path     string // "subnets[2].range"
	Expected string // what the declaration asks for; empty: Reason says it
	Got      string
	Reason   string
}

func (e *ValueError) Error() string {
	path := e.Path
	if len(path) > 2*maxShown {
		path = path[:maxShown] + "…" + path[len(path)-maxShown:]
	}
	if e.Expected == "" {
		return fmt.Sprintf("property %s: %s", path, e.Reason)
	}
	return fmt.Sprintf("property %s: expected %s, got %s", path, e.Expected, e.Got)
}
