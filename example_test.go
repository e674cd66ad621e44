package sexton_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/dop251/goja"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/runtime"
)

// A Go program offers a host module, deploys a package whose class uses it, and deploys again without one
// of the objects: its record is removed, and the report says what happened.
func Example() {
	zone := map[string]string{}
	dns := &runtime.Extension{
		Name:    "acme/dns",
		Exports: []string{"set", "remove"},
		Open: func(rt *runtime.Runtime) (*runtime.Module, error) {
			set := func(call goja.FunctionCall) goja.Value {
				zone[call.Argument(0).String()] = call.Argument(1).String()
				return goja.Undefined()
			}
			remove := func(call goja.FunctionCall) goja.Value {
				delete(zone, call.Argument(0).String())
				return goja.Undefined()
			}
			return &runtime.Module{Exports: map[string]goja.Value{"set": rt.Func("set", set), "remove": rt.Func("remove", remove)}}, nil
		},
	}

	dir, err := os.MkdirTemp("", "sexton-example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	err = os.WriteFile(filepath.Join(dir, "index.ts"), []byte(`
		import { Resource } from "sexton";
		import { set, remove } from "acme/dns";
		export class Name extends Resource {
			static properties = { host: "string", address: "string" };
			declare host: string; declare address: string;
			deploy() { set(this.host, this.address); }
			destroy() { remove(this.host); }
		}`), 0o600)
	if err != nil {
		log.Fatal(err)
	}

	env, err := sexton.Open(&sexton.Options{
		Dir:        dir,
		Extensions: []*runtime.Extension{dns},
		Observe: func(e sexton.Event) { // while it happens; the report is for afterwards
			if e.Kind == "destroyed" {
				fmt.Println("destroyed", e.Object.ID)
			}
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background() // cancelled: what runs is finished, the rest is left to the next deployment
	for _, applications := range []string{
		`{"?": {"type": "Name", "id": "www"}, "host": "www", "address": "10.0.0.1"}, {"?": {"type": "Name", "id": "old"}, "host": "old", "address": "10.0.0.2"}`,
		`{"?": {"type": "Name", "id": "www"}, "host": "www", "address": "10.0.0.3"}`,
		`{"?": {"type": "Nmae", "id": "www"}}`,
	} {
		model := &sexton.Model{File: "model.json", Data: []byte(`{"?": {"id": "shop"}, "applications": [` + applications + `]}`)}
		report, err := env.Deploy(ctx, ctx, model)
		if errors.Is(err, sexton.ErrIncomplete) {
			fmt.Println("some of it is still there:", report.Failed, report.Blocked)
		} else if err != nil {
			fmt.Println(err) // here a *serialize.Error: the model is wrong, nothing was changed
			break
		}
		fmt.Println(len(report.Created), "created,", len(report.Changed), "changed,", len(report.Destroyed), "destroyed:", zone)
	}
	// Output:
	// 3 created, 0 changed, 0 destroyed: map[old:10.0.0.2 www:10.0.0.1]
	// destroyed old
	// 0 created, 2 changed, 1 destroyed: map[www:10.0.0.3]
	// model.json:1:55: Nmae www: unknown type "Nmae"; did you mean "Name"?
}

// A script can be run by itself, in an environment that is in memory only.
func ExampleRun() {
	ctx := context.Background()
	report, err := sexton.Run(ctx, ctx, &sexton.Options{
		Console: func(_, text string) { fmt.Println(text) },
	}, &sexton.Script{Source: `
		import { Resource } from "sexton";
		class Guest extends Resource { destroy() { console.log(this.$id, "leaves"); } }
		const host = new Guest({}, null, { id: "host" });
		new Guest({}, host, { id: "friend" });
		console.log(GC.plan().map((step) => step.id));
	`})
	fmt.Println(len(report.Destroyed), err)
	// Output:
	// [ 'friend' ]
	// friend leaves
	// host leaves
	// 3 <nil>
}
