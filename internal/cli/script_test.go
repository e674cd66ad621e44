package cli

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton/internal/state"
)

var update = flag.Bool("update", false, "write what commands print into the test scripts and golden files")

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "worker" && filepath.Base(os.Args[0]) != "sexton" { // of a test that calls Main
		os.Exit(work())
	}
	testscript.Main(m, map[string]func(){"sexton": func() { os.Exit(Execute()) }})
}

// TestScripts runs testdata/script/*.txtar. Besides the usual commands there are
//
//	exits N program args…   runs it and wants that exit code
//	exceeds NAME=VALUE AT   deploys with what.js = NAME and that limit, isolated and not, and wants its error, with AT in it
//	keep [flags…]           records the snapshot, with these flags, and the files below the directory "out"
//	kept [flags…]           wants both as keep found them
//	hides TEXT…             wants no TEXT in what was printed last, nor in the files below the directory "state"
//	lock DIR                holds the lock of a state directory until the script ends
//	plain FILE…             replaces times, durations and generated ids in files
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("..", "..", "testdata", "script"),
		UpdateScripts:       *update,
		RequireUniqueNames:  true,
		RequireExplicitExec: true,
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits":   exits,
			"exceeds": exceeds,
			"keep": func(ts *testscript.TestScript, _ bool, args []string) {
				ts.Check(os.WriteFile(ts.MkAbs("kept"), []byte(whatIs(ts, args)), 0o644))
			},
			"kept": func(ts *testscript.TestScript, _ bool, args []string) {
				if before, now := ts.ReadFile("kept"), whatIs(ts, args); before != now {
					ts.Fatalf("it was:\n%s\nit is:\n%s", before, now)
				}
			},
			"hides": func(ts *testscript.TestScript, _ bool, secrets []string) {
				texts := map[string]string{"stdout": ts.ReadFile("stdout"), "stderr": ts.ReadFile("stderr")}
				ts.Check(filepath.WalkDir(ts.MkAbs("state"), func(file string, entry fs.DirEntry, err error) error {
					if errors.Is(err, fs.ErrNotExist) {
						return nil // nothing is deployed yet
					}
					if err != nil || entry.IsDir() {
						return err
					}
					data, err := os.ReadFile(file)
					texts[file] = string(data)
					return err
				}))
				for name, text := range texts {
					for _, secret := range secrets {
						if strings.Contains(text, secret) {
							ts.Fatalf("%s has the secret %s:\n%s", name, secret, text)
						}
					}
				}
			},
			"lock": func(ts *testscript.TestScript, _ bool, args []string) {
				dir, err := state.Open(ts.MkAbs(args[0]), &state.Options{Create: true})
				ts.Check(err)
				ts.Defer(func() { ts.Check(dir.Close()) })
			},
			"plain": func(ts *testscript.TestScript, _ bool, args []string) {
				for _, file := range args {
					text := ts.ReadFile(file)
					for pattern, by := range map[string]string{
						`"time":"[^"]*"`:                         `"time":"T"`,
						`at [0-9-]+T[0-9:]+Z`:                    `at T`,
						`sha256:[0-9a-f]{64}`:                    `sha256:D`,
						`"durationMs":[0-9.]+`:                   `"durationMs":1`,
						`duration_ms [0-9.]+`:                    `duration_ms 1`,
						`\([0-9.]+s\)`:                           `(1ms)`,
						`"durationsMs":\[[0-9.,]+\]`:             `"durationsMs":[1]`,
						`\([0-9.]+(µs|ms)`:                       `(1ms`,
						`, [0-9.]+(µs|ms)\)`:                     `, 1ms)`,
						`(?m)^[0-9-]+T[0-9:]+Z  `:                `T  `,
						`"\$sealed":"[^"]*"`:                     `"$$sealed":"S"`,
						`"began":"[^"]*"`:                        `"began":"T"`,
						`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]+`: `ID`,
					} {
						text = regexp.MustCompile(pattern).ReplaceAllString(text, by)
					}
					ts.Check(os.WriteFile(ts.MkAbs(file), []byte(text), 0o644))
				}
			},
		},
	})
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits code program args...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

func exceeds(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: exceeds name=value at")
	}
	name, value, _ := strings.Cut(args[0], "=")
	ts.Check(os.WriteFile(ts.MkAbs("what.js"), []byte(`export default "`+name+`";`), 0o644))
	for _, isolation := range []string{"process", "none"} {
		exits(ts, false, []string{"7", "sexton", "deploy", "--yes", "--allow-run", "--isolation=" + isolation, "--limit=" + args[0]})
		first, _, _ := strings.Cut(ts.ReadFile("stderr")[strings.Index(ts.ReadFile("stderr"), "error:"):], "\n")
		for _, want := range []string{name, value, args[1]} {
			if !strings.Contains(first, want) {
				ts.Fatalf("%s: the error has no %q", isolation, want)
			}
		}
	}
}

// whatIs describes the state and the resources of the package in the working directory.
func whatIs(ts *testscript.TestScript, flags []string) string {
	ts.Check(ts.Exec("sexton", append([]string{"snapshot"}, flags...)...))
	text := ts.ReadFile("stdout")
	files := os.DirFS(ts.MkAbs("out"))
	ts.Check(fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && name == "." {
			return nil
		}
		if err == nil && !entry.IsDir() {
			var data []byte
			data, err = fs.ReadFile(files, name)
			text += "out/" + name + ": " + string(data) + "\n"
		}
		return err
	}))
	return text
}

// The examples of the help texts run as they stand.
func TestExamples(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell")
	}
	files := map[string]string{
		"package.json": `{"name": "shop"}`,
		"index.ts":     `import { Resource } from "sexton"; export class Item extends Resource {}`,
		"model.json":   `{"?": {"type": "Environment", "id": "shop"}, "applications": [{"?": {"type": "Item", "id": "a"}}]}`,
		"script.ts":    `console.log(scriptArgs)`,
		"item.test.ts": `
			import { assert, test } from "sexton/test";
			test("an item", async (t) => {
				const env = await t.deploy({ "?": { type: "Environment", id: "shop" }, applications: [{ "?": { type: "Item", id: "a" } }] });
				assert.alive("a");
			});`,

		"shop/package.json": `{"name": "shop"}`,
		"shop/index.ts":     `import { Resource } from "sexton"; export class Item extends Resource {}`,
		"shop/model.json":   `{"?": {"type": "Environment", "id": "shop"}, "applications": [{"?": {"type": "Item", "id": "a"}}]}`,
	}
	a := &app{State: &State{}}
	for _, c := range a.command().Commands() {
		for _, c := range append(c.Commands(), c) {
			if c.Hidden || c.Name() == "help" || c.Name() == "completion" || c.Parent().Name() == "completion" {
				continue
			}
			examples := strings.Split(c.Example, "\n")
			t.Run(c.CommandPath(), func(t *testing.T) {
				require.GreaterOrEqual(t, len(examples), 2)
				require.LessOrEqual(t, len(examples), 4)
				for _, line := range examples {
					dir := t.TempDir()
					for name, text := range files {
						require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
						require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
					}
					prepare := "sexton deploy >/dev/null && sexton snapshot >staging.json && sexton destroy --yes >/dev/null && "
					cmd := exec.Command(shell, "-c", prepare+strings.TrimSpace(line))
					cmd.Dir = dir
					out, err := cmd.CombinedOutput()
					var exit *exec.ExitError
					if errors.As(err, &exit) && exit.ExitCode() == exitChanges && strings.Contains(line, "exitcode") {
						err = nil
					}
					require.NoError(t, err, "%s\n%s", line, out)
				}
			})
		}
	}
}
