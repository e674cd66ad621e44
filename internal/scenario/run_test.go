package scenario

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Each folder of testdata/suites is a run: test files, options, and in want.txt the events and what
// scripts and host have logged.
func TestSuites(t *testing.T) {
	folders, err := filepath.Glob("testdata/suites/*")
	require.NoError(t, err)
	require.NotEmpty(t, folders)
	for _, folder := range folders {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			h := newFakeHost(t)
			files, err := filepath.Glob(filepath.Join(folder, "*.js"))
			require.NoError(t, err)
			for _, file := range files {
				h.load(t, filepath.Base(file), string(must(os.ReadFile(file))))
			}
			h.run(t, readOptions(t, filepath.Join(folder, "options.json")))
			log := append(h.results(), "", "log:")
			golden(t, filepath.Join(folder, "want.txt"), strings.Join(append(log, h.log...), "\n")+"\n")
			require.Empty(t, h.limits, "a timer of the runner is left")
		})
	}
}

func readOptions(t *testing.T, path string) *RunOptions {
	text, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil
	}
	require.NoError(t, err)
	var o struct {
		Pattern string
		Lines   []int
		Bail    bool
		Seed    *uint32
		Timeout int
	}
	require.NoError(t, json.Unmarshal(text, &o))
	return &RunOptions{Pattern: o.Pattern, Lines: o.Lines, Bail: o.Bail, Seed: o.Seed, Timeout: time.Duration(o.Timeout) * time.Millisecond}
}

const twelve = `for (const s of ["a", "b", "c"]) describe(s, () => { for (let k = 0; k < 4; k++) test(s + k, () => log(s + k)); });`

func TestShuffle(t *testing.T) {
	order := func(seed *uint32) string {
		h := newFakeHost(t)
		h.load(t, "x.test.js", twelve)
		h.run(t, &RunOptions{Seed: seed})
		var names []string
		for _, e := range h.events {
			if e.Type == TypePass && e.Kind == KindTest {
				names = append(names, e.Name)
			}
		}
		return strings.Join(names, " ")
	}
	one, two := uint32(1), uint32(4294967295)
	declared := order(nil)
	require.Equal(t, "a0 a1 a2 a3 b0 b1 b2 b3 c0 c1 c2 c3", declared)
	shuffled := order(&one)
	require.NotEqual(t, declared, shuffled)
	require.Equal(t, shuffled, order(&one))
	require.NotEqual(t, shuffled, order(&two))
	require.ElementsMatch(t, strings.Fields(declared), strings.Fields(shuffled))
	for k, names := 0, strings.Fields(shuffled); k < 12; k += 4 { // suites stay together
		for _, name := range names[k : k+4] {
			require.Equal(t, names[k][0], name[0])
		}
	}
}

func TestPattern(t *testing.T) {
	tests := []struct{ pattern, want string }{
		{"", "one two > three two > four"},
		{"two", "two > three two > four"},
		{"two > f", "two > four"},
		{"/^(one|.*three)$/", "one two > three"},
		{"/TWO/i", "two > three two > four"},
		{"/e/g", "one two > three"},
		{"nothing", ""},
	}
	for _, tt := range tests {
		t.Run(tt.pattern, func(t *testing.T) {
			h := newFakeHost(t)
			h.load(t, "x.test.js", `test("one", () => {}); describe("two", () => { test("three", () => {}); test("four", () => {}); });`)
			h.run(t, &RunOptions{Pattern: tt.pattern})
			var names []string
			for _, e := range h.events {
				if e.Type == TypePass && e.Kind == KindTest {
					names = append(names, e.FullName())
				}
			}
			require.Equal(t, tt.want, strings.Join(names, " "))
		})
	}

	h := newFakeHost(t)
	p, err := h.module.Run(&RunOptions{Pattern: "/(/"})
	require.NoError(t, err)
	require.ErrorContains(t, h.await(t, p), "SyntaxError: Unterminated group")
}

func TestDeclarationErrors(t *testing.T) {
	tests := []struct{ source, want string }{
		{`test("x", { retries: 2 }, () => {})`, `test "x": unknown option "retries"; known: only, skip, todo, timeout`},
		{`test("x", { timeout: "1s" }, () => {})`, `test "x": timeout must be a number of milliseconds, got '1s'`},
		{`test("x", 5)`, `test: expected a function, got 5`},
		{`before()`, `before: expected a function, got undefined`},
		{`assert.snapshot(1)`, `assert.snapshot: no test is running`},
	}
	for _, tt := range tests {
		h := newFakeHost(t)
		require.NoError(t, h.module.File("x.test.js"))
		_, err := h.vm.RunString(tt.source)
		require.ErrorContains(t, err, tt.want)
	}

	h := newFakeHost(t)
	h.load(t, "x.test.js", ``)
	h.run(t, nil)
	_, err := h.vm.RunString(`test("late", () => {})`)
	require.ErrorContains(t, err, `test "late" is declared after the file's tests have begun`)
}

func TestUnhandledErrors(t *testing.T) {
	h := newFakeHost(t)
	h.load(t, "x.test.js", `
test("timer", async () => { setTimeout(() => { throw new RangeError("in a timer"); }, 5); await sleep(50); log("not reached"); });
test("next", () => {});`)
	require.NoError(t, h.module.Fault(h.vm.ToValue("before any test")))
	h.run(t, nil)
	require.NotContains(t, h.log, "not reached")
	var failed []string
	s := &Summary{}
	for _, e := range h.events {
		s.Add(e)
	}
	for _, e := range s.Failed {
		failed = append(failed, e.FullName()+": "+e.Error.Title())
	}
	require.Equal(t, []string{"timer: RangeError: in a timer", "x.test.js: before any test"}, failed)
	require.Equal(t, 1, s.Pass)
}
