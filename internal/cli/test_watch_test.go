package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// fakeWatcher tells of changes as listed: names relative to dir, separated by spaces. Then the user ends it.
type fakeWatcher struct {
	dir     string
	changes []string
	watched []string
	end     context.CancelFunc
}

func (w *fakeWatcher) Watch(dirs []string) error {
	w.watched = append(w.watched, dirs...)
	return nil
}

func (w *fakeWatcher) Next(ctx context.Context) ([]string, error) {
	if len(w.changes) == 0 {
		w.end()
		return nil, ctx.Err()
	}
	next := w.changes[0]
	w.changes = w.changes[1:]
	var paths []string
	for _, name := range strings.Fields(next) {
		paths = append(paths, filepath.Join(w.dir, filepath.FromSlash(name)))
	}
	return paths, nil
}

func (w *fakeWatcher) Close() error { return nil }

func TestWatchRunsWhatAChangeAffects(t *testing.T) {
	dir := canonical(t.TempDir())
	inputs := map[string][]string{
		"a.test.ts": {"lib/shared.ts", "a.ts", "a.test.ts"},
		"b.test.ts": {"lib/shared.ts", "../outside/b.ts", "b.test.ts"},
	}
	for name, c := range map[string]struct {
		changes []string
		want    []string // what runs after the first run of all
	}{
		"one":                {[]string{"a.ts"}, []string{"a.test.ts"}},
		"both":               {[]string{"lib/shared.ts"}, []string{"a.test.ts b.test.ts"}},
		"outside":            {[]string{"../outside/b.ts"}, []string{"b.test.ts"}},
		"the test":           {[]string{"b.test.ts readme.md"}, []string{"b.test.ts"}},
		"stored values":      {[]string{"b.test.ts.golden"}, []string{"b.test.ts"}},
		"package.json":       {[]string{"package.json"}, []string{"a.test.ts b.test.ts"}},
		"that of another":    {[]string{"lib/package.json"}, nil},
		"nothing of theirs":  {[]string{"readme.md", "other.ts", "out.xml"}, nil},
		"several, in turn":   {[]string{"a.ts", "x", "b.test.ts"}, []string{"a.test.ts", "b.test.ts"}},
		"several, at once":   {[]string{"a.ts b.test.ts"}, []string{"a.test.ts b.test.ts"}},
		"a file that is new": {[]string{"+c.test.ts c.test.ts"}, []string{"c.test.ts"}},
		// c.test.ts cannot be bundled: all code may be what it needs, and nothing else.
		"one in error": {[]string{"+c.test.ts c.test.ts", "out.xml", "missing.js", "a.ts"}, []string{"c.test.ts", "c.test.ts", "a.test.ts c.test.ts"}},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			changes := &fakeWatcher{dir: dir, changes: c.changes, end: cancel}
			files := []string{"a.test.ts", "b.test.ts"}
			if strings.HasPrefix(c.changes[0], "+") {
				changes.changes[0] = strings.TrimPrefix(c.changes[0], "+")
			}
			var runs []string
			w := &testWatch{
				dir: dir, changes: changes, golden: true, note: func(string) {},
				find: func() ([]string, error) {
					if len(runs) > 0 && strings.Contains(name, "new") || len(runs) > 0 && strings.Contains(name, "error") {
						return append([]string{}, append(files, "c.test.ts")...), nil
					}
					return append([]string{}, files...), nil
				},
				run: func(files []string) (map[string][]string, error) {
					runs = append(runs, strings.Join(files, " "))
					return inputs, &shownError{errTests}
				},
			}
			require.ErrorIs(t, w.loop(ctx), errTests, "the last run")
			require.Equal(t, append([]string{"a.test.ts b.test.ts"}, c.want...), runs)
			require.Subset(t, changes.watched, []string{dir, filepath.Join(dir, "lib"), filepath.Join(filepath.Dir(dir), "outside")})
		})
	}
}

func TestWatchEndsWithWhatIsWrong(t *testing.T) {
	broken := errors.New("the disk is full")
	w := &testWatch{
		changes: &fakeWatcher{}, find: func() ([]string, error) { return []string{"a.test.js"}, nil },
		run: func([]string) (map[string][]string, error) { return nil, broken },
	}
	require.ErrorIs(t, w.loop(t.Context()), broken)
}

// TestFileWatcher does what editors do.
func TestFileWatcher(t *testing.T) {
	dir := canonical(t.TempDir())
	file := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	put := func(name, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(file(name)), 0o755))
		require.NoError(t, os.WriteFile(file(name), []byte(text), 0o644))
	}
	put("pkg/a.ts", "1")
	put("pkg/node_modules/x/index.js", "1")
	put("elsewhere/b.ts", "1")
	w, err := newWatcher()
	require.NoError(t, err)
	defer func() { require.NoError(t, w.Close()) }()
	require.NoError(t, w.Watch([]string{file("pkg")}))
	require.NoError(t, w.Watch([]string{file("elsewhere"), file("pkg")}))

	changed := func(name string) { // waits for it
		t.Helper()
		for {
			names, err := w.Next(t.Context())
			require.NoError(t, err)
			for _, n := range names {
				require.NotContains(t, n, "node_modules"+string(filepath.Separator))
				if n == file(name) {
					return
				}
			}
		}
	}
	put("pkg/a.ts", "2")
	changed("pkg/a.ts")
	put("pkg/.a.swp", "3") // renamed over the file
	require.NoError(t, os.Rename(file("pkg/.a.swp"), file("pkg/a.ts")))
	changed("pkg/a.ts")
	require.NoError(t, os.Rename(file("pkg/a.ts"), file("pkg/a.ts~"))) // moved away, and written anew
	put("pkg/a.ts", "4")
	changed("pkg/a.ts")
	put("pkg/a.ts", "5") // still watched
	changed("pkg/a.ts")
	put("elsewhere/b.ts", "2")
	changed("elsewhere/b.ts")
	put("pkg/new/deep/c.ts", "1") // before anybody watches its directory
	changed("pkg/new/deep/c.ts")
	put("pkg/new/deep/c.ts", "2")
	changed("pkg/new/deep/c.ts")
	require.NoError(t, os.RemoveAll(file("pkg/new")))
	put("pkg/new/c.ts", "3")
	changed("pkg/new/c.ts")

	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errTests)
	put("pkg/a.ts", "6")
	for err == nil {
		_, err = w.Next(ctx)
	}
	require.ErrorIs(t, err, errTests)
}
