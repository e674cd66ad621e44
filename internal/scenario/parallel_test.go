package scenario_test

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/internal/scenario"
	"github.com/sextongc/sexton/runtime"
)

// lines is a reporter that keeps results as text.
type lines struct{ texts []string }

func (l *lines) Report(e *scenario.Event) error {
	if e.Type == scenario.TypePass || e.Type == scenario.TypeFail {
		l.texts = append(l.texts, e.Type+" "+e.FullName())
	}
	return nil
}

func (l *lines) Close(*scenario.Summary) error { return nil }

// TestFilesRunAtOnce has files whose tests wait until those of the files behind them have run, too.
func TestFilesRunAtOnce(t *testing.T) {
	const n = 3
	dir := t.TempDir()
	var files []string
	for i := range n {
		name := fmt.Sprintf("%c.test.js", 'a'+i)
		files = append(files, name)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), fmt.Appendf(nil, `
import { test } from "sexton/test";
import { meet } from "test/go";
test("meets %[1]d", () => { console.log("before %[1]d"); meet(); console.log("after %[1]d"); });
test("fails %[1]d", () => { throw new Error("expected"); });`, i), 0o600))
	}
	var all sync.WaitGroup
	meet := &runtime.Extension{Name: "test/go", Exports: []string{"meet"}, Open: func(rt *runtime.Runtime) (*runtime.Module, error) {
		return &runtime.Module{Exports: map[string]goja.Value{"meet": rt.Goja().ToValue(func() {
			all.Done()
			all.Wait()
		})}}, nil
	}}
	run := func(opts *scenario.Options) ([]string, *scenario.Summary) {
		var got lines
		opts.Options = sexton.Options{Dir: dir, Extensions: []*runtime.Extension{meet}, Console: func(_, text string) {
			got.texts = append(got.texts, "print "+text)
		}}
		opts.Files, opts.Reporters = files, []scenario.Reporter{&got}
		summary, err := scenario.Run(t.Context(), opts)
		require.NoError(t, err)
		return got.texts, summary
	}
	of := func(i int) []string {
		return []string{
			fmt.Sprintf("print before %d", i), fmt.Sprintf("print after %d", i),
			fmt.Sprintf("pass meets %d", i), fmt.Sprintf("fail fails %d", i),
		}
	}

	all.Add(n)
	texts, summary := run(&scenario.Options{Jobs: n})
	require.Equal(t, append(append(of(0), of(1)...), of(2)...), texts)
	require.Equal(t, n, summary.Pass)
	require.Equal(t, n, summary.Fail)

	// What the files behind the failure have done is not told.
	all.Add(n)
	texts, summary = run(&scenario.Options{Jobs: n, RunOptions: scenario.RunOptions{Bail: true}})
	require.Equal(t, of(0), texts)
	require.Equal(t, 1, summary.Fail)
}
