package hostile

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton"
)

const corpus = "../../../testdata/hostile"

// entry is one file of the corpus.
type entry struct {
	name      string
	about     string
	isolated  []string // how it may end
	inProcess []string // nil: it is not deployed there
	limits    []string
	generate  []string
	edits     []edit
	slow      bool // only with -all
	hurry     bool // its limits of time are short, though that is not how it ends
	files     []txtar.File
}

// edit changes a text in a file of the state.
type edit struct{ file, old, new string }

// entries reads the corpus.
func entries(t *testing.T) []*entry {
	var all []*entry
	require.NoError(t, filepath.WalkDir(corpus, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(file) == ".md" {
			return err
		}
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		name, err := filepath.Rel(corpus, file)
		require.NoError(t, err)
		all = append(all, parse(t, filepath.ToSlash(name), data))
		return nil
	}))
	return all
}

func parse(t *testing.T, name string, data []byte) *entry {
	e := &entry{name: strings.TrimSuffix(name, filepath.Ext(name))}
	var header []string
	if filepath.Ext(name) == ".js" {
		for line := range strings.Lines(string(data)) {
			text, ok := strings.CutPrefix(line, "// ")
			if !ok {
				break
			}
			header = append(header, text)
		}
		e.files = []txtar.File{{Name: "attack.js", Data: data}}
	} else {
		archive := txtar.Parse(data)
		header = strings.SplitAfter(string(archive.Comment), "\n")
		e.files = archive.Files
	}
	for i, line := range header {
		line = strings.TrimSpace(line)
		if i == 0 {
			e.about = line
			continue
		}
		if line == "" {
			continue
		}
		key, value, _ := strings.Cut(line, ": ")
		switch key {
		case "isolated":
			e.isolated = strings.Split(value, " | ")
		case "in process":
			if value != "never" {
				e.inProcess = strings.Split(value, " | ")
			}
		case "limits":
			e.limits = strings.Fields(value)
		case "generate":
			e.generate = strings.Fields(value)
		case "edit":
			file, change, ok := strings.Cut(value, " ")
			old, now, found := strings.Cut(change, " ->")
			require.True(t, ok && found, "%s: %s", name, line)
			e.edits = append(e.edits, edit{file, old, strings.TrimPrefix(now, " ")})
		case "slow":
			e.slow = true
		case "hurry":
			e.hurry = true
		default:
			require.Fail(t, "an unknown line", "%s: %s", name, line)
		}
	}
	require.NotEmpty(t, e.about, name)
	require.NotEmpty(t, e.isolated, name)
	return e
}

// settings are small enough to be exceeded, and large enough for what is not meant to exceed them. The limits of time
// are for the last deployment.
func (e *entry) settings(t *testing.T, outcomes []string, last bool) sexton.Settings {
	s := sexton.Settings{DestroyTimeout: patience, HandlerTimeout: patience, DeployTimeout: patience, Timeout: patience}
	if last && (e.hurry || slices.Contains(outcomes, "time") || slices.Contains(outcomes, "incomplete")) {
		s.DestroyTimeout, s.HandlerTimeout, s.DeployTimeout = short, short, short
	}
	if last && slices.Contains(outcomes, "time") && !slices.Contains(outcomes, "incomplete") {
		s.Timeout = long
	}
	limits := []string{"memory=256M", "output=1M", "objects=10000", "edges=100000", "timers=1000", "promises=1000", "modelSize=8M"}
	for _, l := range append(limits, e.limits...) {
		require.NoError(t, s.Limits.Set(l), e.name)
	}
	return s
}
