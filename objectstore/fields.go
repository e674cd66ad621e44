package objectstore

import (
	"errors"
	"fmt"
	"slices"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/parser"
)

// checkFields looks for class fields that would replace what a managed object has already. goja's own
// word on them, at the first `new`, is "Cannot redefine property", or none at all for destroy.
func (g *Registry) checkFields(c *Class, constructor *goja.Object) error {
	source, err := g.lib.call("source", constructor)
	if err != nil {
		return err
	}
	c.script.fields = classFields(source.String())
	var errs []error
	for _, name := range c.script.fields {
		switch {
		case name == "destroy":
			errs = append(errs, fmt.Errorf("class %s: destroy must be a method, not a class field: only the collector runs it", c.label()))
		case name != "" && name[0] == '$':
			errs = append(errs, fmt.Errorf("class %s: class field %s: the name is reserved", c.label(), name))
		}
	}
	for b := c; b != nil; b = b.Base {
		for _, name := range b.script.fields {
			if c.Property(name) != nil && (b == c || b.Property(name) == nil) {
				errs = append(errs, fmt.Errorf("class %s: %s", b.label(), fieldAdvice(name)))
			}
		}
	}
	return errors.Join(errs...)
}

// classFields returns the names of the public instance fields in the source text of a class. What
// cannot be told from the text alone, such as computed names, is left out.
func classFields(source string) []string {
	program, err := goja.Parse("", "("+source+")", parser.WithDisableSourceMaps)
	if err != nil || len(program.Body) != 1 {
		return nil
	}
	statement, ok := program.Body[0].(*ast.ExpressionStatement)
	if !ok {
		return nil
	}
	class, ok := statement.Expression.(*ast.ClassLiteral)
	if !ok {
		return nil
	}
	var names []string
	for _, element := range class.Body {
		field, ok := element.(*ast.FieldDefinition)
		if !ok || field.Static || field.Computed {
			continue
		}
		if key, ok := field.Key.(*ast.StringLiteral); ok && !slices.Contains(names, key.Value.String()) {
			names = append(names, key.Value.String())
		}
	}
	return names
}
