package serialize_test

import (
	"fmt"

	"github.com/sextongc/sexton/objectstore"
	"github.com/sextongc/sexton/serialize"
)

// registry is the least that models need to know of classes; a store has a real one.
type registry map[string]*objectstore.Class

func (r registry) Lookup(name string) (*objectstore.Class, error) {
	if c := r[name]; c != nil {
		return c, nil
	}
	return nil, fmt.Errorf("unknown type %s", name)
}

func (r registry) Names() (names []string) {
	for name := range r {
		names = append(names, name)
	}
	return names
}

func shop() registry {
	vm := &objectstore.Class{Name: "Vm", Version: "1.0.0"}
	vm.Properties = []*objectstore.Property{
		{Name: "size", Type: &objectstore.Type{Kind: objectstore.KindInteger}},
		{Name: "address", Type: &objectstore.Type{Kind: objectstore.KindString}, Usage: objectstore.UsageOut, Optional: true},
	}
	env := &objectstore.Class{Name: "Environment", Builtin: true}
	machines := &objectstore.Type{Kind: objectstore.KindList, Elem: &objectstore.Type{Kind: objectstore.KindClass, Class: vm}}
	env.Properties = []*objectstore.Property{{Name: "applications", Type: machines}}
	return registry{"Environment": env, "Vm": vm}
}

// A deployment begins with a model and the last snapshot: vm2 leaves, and vm1 keeps its address.
func Example() {
	last := &objectstore.Graph{Root: "shop", Objects: []*objectstore.Entry{
		{ID: "shop", Type: "Environment"},
		{ID: "vm1", Type: "Vm", Owner: "shop", Properties: []objectstore.Field{{Name: "size", Value: 1.0}, {Name: "address", Value: "10.0.0.1"}}},
		{ID: "vm2", Type: "Vm", Owner: "shop", Properties: []objectstore.Field{{Name: "size", Value: 1.0}}},
	}}
	model, err := serialize.DecodeModel([]byte(`
"?": {type: Environment, id: shop}
applications:
  - {"?": {id: vm1}, size: 2}
`), &serialize.ModelOptions{File: "model.yaml", Classes: shop(), Stateful: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	merged, err := serialize.Merge(last, model)
	if err != nil {
		fmt.Println(err)
		return
	}
	entry, err := serialize.EncodeEntry(merged.Graph.Objects[1])
	fmt.Println(string(entry), err)
	fmt.Println("dropped:", merged.Dropped)
	fmt.Println("vm1 stands at", model.Position("vm1", ""))
	// Output:
	// { "?": { "id": "vm1", "type": "Vm", "version": "1.0.0", "owner": "shop" }, "size": 2, "address": "10.0.0.1" } <nil>
	// dropped: [vm2]
	// vm1 stands at model.yaml:4:5
}

func ExampleDecodeModel_error() {
	_, err := serialize.DecodeModel([]byte(`{ "?": { "type": "Environment", "id": "shop" },
  "applications": [ { "?": { "id": "vm1" }, "sise": 2 } ] }`), &serialize.ModelOptions{File: "model.json", Classes: shop()})
	fmt.Println(err)
	// Output:
	// model.json:2:45: Vm vm1: unknown property "sise"; did you mean "size"?
}

func ExampleEncodeSnapshot() {
	text, err := serialize.EncodeSnapshot(&objectstore.Graph{Root: "shop", Objects: []*objectstore.Entry{
		{ID: "shop", Type: "Environment", Properties: []objectstore.Field{{Name: "applications", Value: []objectstore.Value{objectstore.Ref("vm1")}}}},
		{ID: "vm1", Type: "Vm", Version: "1.0.0", Owner: "shop", Destroyed: true},
	}})
	fmt.Print(string(text), err)
	// Output:
	// { "sexton": 1, "root": "shop",
	//   "objects": [
	//     { "?": { "id": "shop", "type": "Environment" },
	//       "applications": [ { "$ref": "vm1" } ] },
	//     { "?": { "id": "vm1", "type": "Vm", "version": "1.0.0", "owner": "shop", "destroyed": true } } ],
	//   "digest": "sha256:bfed27c1dae9a8f3e5c60202188a076169f0026ce3197baaf9ef0b72bee41008" }
	// <nil>
}

// The document says where it is wrong.
func ExampleDecodeSnapshot() {
	_, err := serialize.DecodeSnapshot([]byte(`{ "sexton": 1, "objects": [
  { "?": { "id": "vm1", "type": "Vm" }, "network": { "$ref": "net" } } ], "digest": "sha256:" }`))
	fmt.Println(err)
	// Output:
	// snapshot.json:2:62: Vm vm1: property network: dangling reference "net": no object has this id
}

func ExampleCheckProperty() {
	vm, err := shop().Lookup("Vm")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(serialize.CheckProperty(vm.Property("size"), 1.5, nil))
	// Output:
	// property size: expected integer, got number 1.5
}
