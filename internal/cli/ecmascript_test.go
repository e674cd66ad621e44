package cli

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var test262 = flag.String("test262", "", "run the tests of this checkout of TC39's conformance suite as well")

// TestECMAScript runs testdata/ecmascript, each file sloppy and strict, in this process and in a worker.
func TestECMAScript(t *testing.T) {
	dir := filepath.Join("..", "..", "testdata", "ecmascript")
	files, err := filepath.Glob(filepath.Join(dir, "*.js"))
	require.NoError(t, err)
	for _, file := range files {
		if filepath.Base(file) == "harness.js" {
			continue
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			code := source(t, filepath.Join(dir, "harness.js")) + source(t, file)
			for _, strict := range []string{"", `"use strict";` + "\n"} {
				for _, isolation := range []string{"none", "process"} {
					code, stdout, stderr := classic(t, strict+code, "--isolation="+isolation)
					require.Empty(t, stderr, "%s%s", strict, isolation)
					require.Equal(t, "finished\n", stdout, "%s%s", strict, isolation)
					require.Zero(t, code)
				}
			}
		})
	}
}

// TestTest262 runs what the conformance suite itself has about what this project adds to the engine.
func TestTest262(t *testing.T) {
	if *test262 == "" {
		t.Skip("-test262 names no checkout of the ECMAScript conformance suite; testdata/ecmascript has tests of our own")
	}
	harness := func(name string) string { return source(t, filepath.Join(*test262, "harness", name)) }
	for _, name := range []string{"WeakRef", "FinalizationRegistry"} {
		ran := 0
		root := filepath.Join(*test262, "test", "built-ins", name)
		require.NoError(t, filepath.WalkDir(root, func(file string, _ os.DirEntry, err error) error {
			if err != nil || filepath.Ext(file) != ".js" {
				return err
			}
			test := source(t, file)
			if strings.Contains(test, "$262.createRealm") {
				return nil
			}
			ran++
			rel, _ := filepath.Rel(*test262, file)
			t.Run(filepath.ToSlash(rel), func(t *testing.T) {
				async := strings.Contains(frontMatter(test, "flags"), "async")
				code := "var print = console.log, $262 = { gc, global: globalThis };\n" + harness("assert.js") + harness("sta.js")
				want := ""
				if async {
					code += harness("doneprintHandle.js")
					want = "Test262:AsyncTestComplete\n"
				}
				for include := range strings.FieldsFuncSeq(frontMatter(test, "includes"), func(r rune) bool { return r == ',' || r == ' ' }) {
					code += harness(include)
				}
				for flag, prefix := range map[string]string{"onlyStrict": "", "noStrict": `"use strict";` + "\n"} {
					if strings.Contains(frontMatter(test, "flags"), flag) {
						continue
					}
					exit, stdout, stderr := classic(t, prefix+code+test)
					require.Empty(t, stderr, prefix)
					require.Equal(t, want, stdout, prefix)
					require.Zero(t, exit)
				}
			})
			return nil
		}))
		require.NotZero(t, ran, root)
	}
}

// frontMatter returns the list of a test of the suite that is written "key: [a, b]".
func frontMatter(test, key string) string {
	if found := regexp.MustCompile(`(?m)^` + key + `: \[(.*)\]`).FindStringSubmatch(test); found != nil {
		return found[1]
	}
	return ""
}

func source(t *testing.T, file string) string {
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(data) + "\n"
}

// classic runs a classic script that has gc().
func classic(t *testing.T, code string, flags ...string) (exit int, stdout, stderr string) {
	s := newSession(t, false, map[string]string{"script.cjs": code})
	exit = s.run(append([]string{"run", "--expose-gc", "script.cjs"}, flags...)...)
	return exit, s.out.String(), s.err.String()
}
