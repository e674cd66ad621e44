package objectstore_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/dop251/goja"

	"github.com/sextongc/sexton/objectstore"
	"github.com/sextongc/sexton/runtime"
)

// An environment at rest becomes one in memory, a script changes it, and it is saved again. What only a
// variable held is found unreachable; it is saved too, until somebody destroys it.
func Example() {
	rt, err := runtime.New(nil)
	if err != nil {
		log.Fatal(err)
	}
	defer rt.Close()
	registry, err := objectstore.NewRegistry(rt.Goja(), rt.Heap())
	if err != nil {
		log.Fatal(err)
	}
	stored := &objectstore.Graph{Root: "shop", Objects: []*objectstore.Entry{
		{ID: "shop", Type: "Environment", Properties: []objectstore.Field{
			{Name: "applications", Value: []objectstore.Value{objectstore.Ref("vm1")}},
		}},
		{ID: "vm1", Type: "shop/Vm", Owner: "shop", Properties: []objectstore.Field{{Name: "size", Value: 1.0}}},
	}}

	err = rt.Run(context.Background(), func(*runtime.Task) error {
		vm := rt.Goja()
		if err := vm.Set("Resource", registry.Exports()["Resource"]); err != nil {
			return err
		}
		class, err := vm.RunString(`(class Vm extends Resource { static properties = { size: "integer" } })`)
		if err != nil {
			return err
		}
		if err := registry.Register("shop/Vm", "1.0.0", class.(*goja.Object)); err != nil {
			return err
		}
		if err := registry.Resolve(); err != nil {
			return err
		}
		store := registry.NewStore(nil)
		defer store.Close()
		err = store.Load(stored, func(_ *objectstore.Object, construct func() error) error {
			return rt.Try(time.Second, construct)
		})
		if err != nil {
			return err
		}

		script, err := vm.RunString(`(shop, Vm) => { shop.applications[0].size++; new Vm({ size: 8 }, shop, { id: "vm2" }); }`)
		if err != nil {
			return err
		}
		if _, err := rt.Call(script.(*goja.Object), nil, time.Second, store.Root().Value(), class); err != nil {
			return err
		}
		fmt.Println(store.Unreachable(store.Objects()))

		saved, err := store.Snapshot()
		if err != nil {
			return err
		}
		for _, e := range saved.Objects {
			fmt.Println(e.ID, e.Properties)
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// [Vm vm2]
	// shop [{applications [vm1]}]
	// vm1 [{size 2}]
	// vm2 [{size 8}]
}
