package sexton_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"sync"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/runtime"
)

// A Go program offers a host module, deploys a package whose class uses it, and deploys again without one
// of the objects: its record is removed, and the report says what happened.
func Example() {
	zone := map[string]string{}
	var mu sync.Mutex // effects run concurrently
	// What changes the outside is an effect: recorded before it starts, and known to recover() after a crash.
	set := func(_ context.Context, call *runtime.EffectCall) (any, error) {
		var record struct{ Host, Address string }
		if err := json.Unmarshal(call.Argument, &record); err != nil {
			return nil, err
		}
		mu.Lock()
		defer mu.Unlock()
		if zone[record.Host] = record.Address; record.Address == "" {
			delete(zone, record.Host)
		}
		return nil, nil
	}
	dns := &runtime.Extension{Name: "acme/dns", Exports: []string{"set"}, Effects: map[string]runtime.Effect{"set": set}}

	dir, err := os.MkdirTemp("", "sexton-example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	err = os.WriteFile(filepath.Join(dir, "index.ts"), []byte(`
		import { Resource } from "sexton";
		import { set } from "acme/dns";
		export class Name extends Resource {
			static properties = { host: "string", address: "string" };
			declare host: string; declare address: string;
			async deploy() { await set({ host: this.host, address: this.address }); }
			async destroy() { await set({ host: this.host }); }
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
