package objectstore

import (
	"errors"
	"fmt"
	"slices"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/parser"
)

// A DeclarationError is what is wrong with the declarations of a class: `static properties`, or a class
// field that cannot be. Source is the text of the class as the interpreter has it, and Offset, in bytes,
// is where in it the fault is.
type DeclarationError struct {
	Source string
	Offset int
	Err    error // names the class
}

func (e *DeclarationError) Error() string { return e.Err.Error() }

// Unwrap returns the error itself.
func (e *DeclarationError) Unwrap() error { return e.Err }

// classField is a public field of a class, with its offset in the class's source text.
type classField struct {
	name   string
	offset int
}

// checkFields looks for class fields that would replace what a managed object has already. goja's own
// word on them, at the first `new`, is "Cannot redefine property", or none at all for destroy.
func (g *Registry) checkFields(c *Class) error {
	var errs []error
	fault := func(in *Class, f classField, format string, args ...any) {
		err := fmt.Errorf("class "+in.label()+": "+format, args...)
		errs = append(errs, &DeclarationError{Source: g.source(in), Offset: f.offset, Err: err})
	}
	for _, f := range c.script.fields {
		switch {
		case f.name == "destroy":
			fault(c, f, "destroy must be a method, not a class field: only the collector runs it")
		case f.name != "" && f.name[0] == '$':
			fault(c, f, "class field %s: the name is reserved", f.name)
		}
	}
	for b := c; b != nil; b = b.Base {
		for _, f := range b.script.fields {
			if c.Property(f.name) != nil && (b == c || b.Property(f.name) == nil) {
				fault(b, f, "%s", fieldAdvice(f.name))
			}
		}
	}
	return errors.Join(errs...)
}

// source is the text of a class; empty if it has none.
func (g *Registry) source(c *Class) string {
	text, err := g.lib.call("source", c.script.constructor.Object())
	if err != nil {
		return ""
	}
	return text.String()
}

// declared says where an error of reading `static properties` belongs.
func (g *Registry) declared(c *Class, err error) error {
	source := g.source(c.declarer())
	_, properties := classFields(source)
	return &DeclarationError{Source: source, Offset: properties, Err: err}
}

// classFields returns the public instance fields in the source text of a class, and where its
// `static properties` are. What cannot be told from the text alone, such as computed names, is left out.
func classFields(source string) (fields []classField, properties int) {
	program, err := goja.Parse("", "("+source+")", parser.WithDisableSourceMaps)
	if err != nil || len(program.Body) != 1 {
		return nil, 0
	}
	statement, ok := program.Body[0].(*ast.ExpressionStatement)
	if !ok {
		return nil, 0
	}
	class, ok := statement.Expression.(*ast.ClassLiteral)
	if !ok {
		return nil, 0
	}
	for _, element := range class.Body {
		field, ok := element.(*ast.FieldDefinition)
		if !ok || field.Computed {
			continue
		}
		key, ok := field.Key.(*ast.StringLiteral)
		if !ok {
			continue
		}
		name, offset := key.Value.String(), int(key.Idx)-2 // an Idx counts from 1, and the parenthesis
		switch {
		case field.Static && name == "properties":
			properties = offset
		case !field.Static && !slices.ContainsFunc(fields, func(f classField) bool { return f.name == name }):
			fields = append(fields, classField{name, offset})
		}
	}
	return fields, properties
}
