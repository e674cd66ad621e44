package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/dop251/goja"

	"github.com/sextongc/sexton/runtime"
)

// A Go program runs a script that uses a host module: here one that looks prices up, concurrently, and
// fails for what it does not know.
func Example() {
	prices := map[string]int{"apple": 3, "pear": 5}
	shop := &runtime.Extension{
		Name:    "acme/shop",
		Exports: []string{"price"},
		Open: func(rt *runtime.Runtime) (*runtime.Module, error) {
			price := rt.Func("price", func(call goja.FunctionCall) goja.Value {
				name := call.Argument(0).String()
				promise, resolve, reject := rt.Promise()
				go func() { // off the loop; Enqueue comes back to it
					p, ok := prices[name]
					rt.Enqueue(func() {
						if !ok {
							reject(fmt.Errorf("no price for %s: %w", name, errors.ErrUnsupported))
							return
						}
						resolve(p)
					})
				}()
				return promise
			})
			return &runtime.Module{Exports: map[string]goja.Value{"price": price}}, nil
		},
	}

	bundle, err := runtime.Build(context.Background(), &runtime.BuildOptions{
		Extensions: []*runtime.Extension{shop},
		Entries: []runtime.Entry{{Name: "order.ts", Source: `
			import { price } from "acme/shop";

			export async function total(...names: string[]): Promise<number> {
				const prices = await Promise.all(names.map((name) => price(name)));
				console.log(names, prices);
				return prices.reduce((a, b) => a + b, 0);
			}`}},
	})
	if err != nil {
		log.Fatal(err) // a *BuildError, with file, line and column
	}

	rt, err := runtime.New(&runtime.Options{
		Extensions: []*runtime.Extension{shop},
		Console:    func(level, text string) { fmt.Println(level+":", text) },
	})
	if err != nil {
		log.Fatal(err)
	}
	defer rt.Close()

	err = rt.Run(context.Background(), func(t *runtime.Task) error {
		modules, err := rt.Load(t, bundle)
		if err != nil {
			return err
		}
		total := modules["order.ts"].Get("total")
		for _, names := range [][]any{{"apple", "pear"}, {"apple", "plum"}} {
			args := make([]goja.Value, len(names))
			for i, name := range names {
				args[i] = rt.Goja().ToValue(name)
			}
			promise, err := rt.Call(total, nil, time.Second, args...)
			if err != nil {
				return err
			}
			sum, err := t.Await(promise)
			if err != nil {
				return err
			}
			fmt.Println("total:", sum)
		}
		return nil
	})
	var failed *runtime.ScriptError
	fmt.Println(errors.As(err, &failed), errors.Is(err, errors.ErrUnsupported), err)
	// Output:
	// log: [ 'apple', 'pear' ] [ 3, 5 ]
	// total: 8
	// true true Error: no price for plum: unsupported operation
}
