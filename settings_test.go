package sexton_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton"
)

// Options go before package.json, and that before the defaults, field by field.
func TestSettings(t *testing.T) {
	const index = `
-- index.ts --
import { Resource, Environment, GC } from "sexton";
import { log } from "test/log";
export class Bad extends Resource { destroy() { log("destroy", this.$id); throw new Error("no"); } }
export class Slow extends Resource {
	running = 0;
	async destroy() { log("begin", this.$id); await null; await null; log("end", this.$id); }
}
`
	bad := apps(object("Bad", "a"))
	slow := apps(object("Slow", "a"), object("Slow", "b"))
	for _, c := range []struct {
		name     string
		json     string
		settings sexton.Settings
		hold     bool
		log      []string
	}{
		{"default", `{"name": "app"}`, sexton.Settings{}, true, []string{"begin a", "begin b", "end a", "end b"}},
		{"package", `{"name": "app", "sexton": {"onDestroyError": "continue", "concurrency": 1}}`, sexton.Settings{}, false, []string{"begin a", "end a", "begin b", "end b"}},
		{"option", `{"name": "app", "sexton": {"onDestroyError": "continue", "concurrency": 1}}`, sexton.Settings{OnDestroyError: "hold"}, true, []string{"begin a", "end a", "begin b", "end b"}},
		{"other option", `{"name": "app", "sexton": {"concurrency": 1}}`, sexton.Settings{OnDestroyError: "continue", Concurrency: 2}, false, []string{"begin a", "begin b", "end a", "end b"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := newEnv(t, index, "-- package.json --\n"+c.json+"\n")
			e.opts.Settings = c.settings
			e.must(slow)
			e.must(apps(), c.log...)
			e.must(bad)
			r, err := e.deploy(apps())
			if c.hold {
				require.ErrorIs(t, err, sexton.ErrIncomplete)
				require.Len(t, r.Failed, 1)
				return
			}
			require.NoError(t, err)
			require.Len(t, r.Ignored, 1)
			require.Equal(t, []string{"a"}, ids(r.Destroyed))
		})
	}
	durations := sexton.Settings{DestroyTimeout: time.Second}.Or(sexton.Settings{DestroyTimeout: time.Hour, DeployTimeout: time.Minute})
	require.Equal(t, sexton.Settings{DestroyTimeout: time.Second, DeployTimeout: time.Minute}, durations)
	e := newEnv(t, index, `
-- package.json --
{"name": "app", "sexton": {"limits": {"memory": "512M", "cpu": "90s", "objects": 1000, "output": 65536}}}
`)
	env, err := sexton.Open(&e.opts)
	require.NoError(t, err)
	limits := env.Package().Settings.Limits
	require.Equal(t, sexton.Limits{Memory: 512 << 20, CPU: 90 * time.Second, Objects: 1000, Output: 65536}, limits)
	require.NoError(t, limits.Set("memory=1G"))
	require.EqualValues(t, 1<<30, limits.Memory)
	parsed, err := sexton.ParseSettings([]byte(`{"deployTimeout": "90s", "handlerTimeout": 1500, "resurrection": "spare"}`))
	require.NoError(t, err)
	require.Equal(t, sexton.Settings{DeployTimeout: 90 * time.Second, HandlerTimeout: 1500 * time.Millisecond, Resurrection: "spare"}, parsed)
}

func TestPackageErrors(t *testing.T) {
	for text, want := range map[string]string{
		`{"name": `:                                  "package.json: line 2, column 1: unexpected end of JSON input",
		`{"name": 7}`:                                "package.json: line 1, column 11: ",
		`{"main": "gone.js"}`:                        "package.json: main module gone.js is not there",
		`{"sexton": {"onDestroyError": "no"}}`:       `package.json: sexton: onDestroyError is "no": want "hold" or "continue"`,
		`{"sexton": {"resurrection": "x"}}`:          `resurrection is "x": want "tombstone" or "spare"`,
		`{"sexton": {"concurrency": -1}}`:            "concurrency is -1: want at least 1",
		`{"sexton": {"deployTimeout": "soon"}}`:      `sexton: deployTimeout: time: invalid duration "soon": want "90s"`,
		`{"sexton": {"deployTimout": 1}}`:            `package.json: sexton: unknown setting "deployTimout"; did you mean "deployTimeout"?`,
		`{"sexton": {"concurrency": "2"}}`:           "package.json: sexton: concurrency: expected a whole number, got string",
		`{"sexton": {"deployTimeout": true}}`:        `want "90s" or a number of milliseconds, got true`,
		`{"sexton": {"handlerTimeout": -5}}`:         "handlerTimeout is -5ms: a timeout is not negative",
		`{"sexton": {"limits": {"memroy": "1G"}}}`:   `sexton: limits: unknown setting "memroy"; did you mean "memory"?`,
		`{"sexton": {"limits": {"memory": "1X"}}}`:   `sexton: limits: memory: "1X" is no number of bytes: want one like 65536, 64K, 512M or 2G`,
		`{"sexton": {"limits": {"nesting": 20000}}}`: "sexton: limit nesting is 20000: the most is 10000",
		`{"sexton": {"limits": {"timers": -1}}}`:     "sexton: limit timers is negative",
		`{"sexton": {"permissions": {"run": "x"}}}`:  "package.json: sexton.permissions: ",
	} {
		e := newEnv(t, "-- package.json --\n"+text+"\n")
		_, err := sexton.Open(&e.opts)
		require.ErrorContains(t, err, want, text)
	}
	_, err := sexton.Open(&sexton.Options{Dir: filepath.Join(t.TempDir(), "gone")})
	require.ErrorContains(t, err, "package directory: ")
	_, err = sexton.Open(&sexton.Options{Dir: t.TempDir(), Settings: sexton.Settings{Concurrency: -1}})
	require.ErrorContains(t, err, "concurrency is -1")
}

// The name of an environment leads nowhere but to a directory of its own.
func TestEnvironmentName(t *testing.T) {
	for _, name := range []string{"..", "../x", "a/b", "/tmp", `a\b`, "."} {
		_, err := sexton.Open(&sexton.Options{Dir: t.TempDir(), Name: name})
		require.ErrorContains(t, err, "cannot be a path", name)
		_, err = sexton.Open(&sexton.Options{Dir: t.TempDir(), Name: name, State: t.TempDir()})
		require.NoError(t, err, "the state is elsewhere")
	}
	e := newEnv(t, "-- package.json --\n"+`{"sexton": {"environment": "../x"}}`+"\n")
	_, err := sexton.Open(&e.opts)
	require.ErrorContains(t, err, `environment "../x": `)
}

// A directory without package.json is a package named after it.
func TestPackageWithoutJSON(t *testing.T) {
	e := newEnv(t, "-- shop/main.js --\nimport { Resource } from \"sexton\";\nexport class Item extends Resource {}\n")
	e.opts.Dir = filepath.Join(e.dir, "shop")
	e.must(apps(object("Item", "a")))
	require.Contains(t, e.snapshot(), `"id": "a", "type": "shop/Item", "owner"`)
	environment := e.open()
	require.Equal(t, "default", environment.Name())
	require.Equal(t, filepath.Join(e.opts.Dir, ".sexton", "default"), environment.StateDir())
	require.Equal(t, "shop", environment.Package().Name)

	// Names and places can be given.
	e.write("-- shop/package.json --\n" + `{"name": "@acme/store", "version": "2.0.0", "sexton": {"environment": "prod", "model": "m.yaml"}}` + "\n")
	require.Equal(t, "prod", e.open().Name())
	file, err := e.open().Package().ModelFile()
	require.NoError(t, err)
	require.Equal(t, filepath.Join(e.opts.Dir, "m.yaml"), file)
	e.opts.Name, e.opts.State = "mine", filepath.Join(e.dir, "elsewhere")
	require.Equal(t, "mine", e.open().Name())
	e.must(apps(object("Item", "a")))
	require.Contains(t, e.snapshot(), `"type": "store/Item", "version": "2.0.0"`)
	require.DirExists(t, e.opts.State)
	_, err = os.Stat(filepath.Join(e.opts.Dir, ".sexton", "mine"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

// `config` properties come from the package's configuration and are not saved.
func TestConfig(t *testing.T) {
	e := newEnv(t, `
-- package.json --
{"name": "app", "sexton": {"config": {"region": "eu", "limits": {"cpu": 2, "a": [1, null]}}}}
-- index.ts --
import { Resource } from "sexton";
import { log } from "test/log";
export class Item extends Resource {
	static properties = {
		region: { type: "string", usage: "config" }, limits: { type: "any", usage: "config" },
		zone: { type: "string", usage: "config", default: "z" },
	};
	declare region: string; declare limits: any; declare zone: string;
	constructor(p: any, o: any, x: any) { super(p, o, x); log(this.region, JSON.stringify(this.limits), this.zone); }
}
`)
	e.must(apps(object("Item", "a")), `eu {"a":[1,null],"cpu":2} z`)
	require.NotContains(t, e.snapshot(), "eu")
	e.write("-- package.json --\n" + `{"name": "app", "sexton": {"config": {"region": "us", "limits": 1}}}` + "\n")
	e.must(apps(object("Item", "a")), `us 1 z`)

	_, err := e.deploy(apps(object("Item", "a", `"region": "mars"`)))
	require.ErrorContains(t, err, "region")
	e.write("-- package.json --\n" + `{"name": "app", "sexton": {"config": {"region": 7, "limits": 1}}}` + "\n")
	_, err = e.deploy(apps(object("Item", "a")))
	require.ErrorIs(t, err, sexton.ErrBroken)
	require.ErrorContains(t, err, "region: expected string, got number 7")
	e.write("-- package.json --\n" + `{"name": "app"}` + "\n")
	_, err = e.deploy(apps(object("Item", "a")))
	require.ErrorContains(t, err, "region: expected string, got nothing; it is required")
}

// js-api: a class field in the place of a declared property is an error that says what to write.
func TestClassFields(t *testing.T) {
	const hint = "declare a default there, or write `declare "
	for _, field := range []string{"size: number = 1", "size", "size: number"} {
		e := newEnv(t, "-- index.ts --\nimport { Resource } from \"sexton\";\nexport class Item extends Resource { static properties = { size: \"number\" }; "+field+"; }\n")
		_, err := e.deploy(apps(object("Item", "a", `"size": 2`)))
		require.ErrorContains(t, err, "size", field)
		require.ErrorContains(t, err, hint+"size: T`", field)
		_, err = e.open().Snapshot()
		require.NoError(t, err)
	}
	e := newEnv(t, "-- index.ts --\nimport { Resource } from \"sexton\";\nexport class Item extends Resource { static properties = { size: \"number\" }; declare size: number; other = 1; }\n")
	e.must(apps(object("Item", "a", `"size": 2`)))
	require.Contains(t, e.snapshot(), `"size": 2`)
}
