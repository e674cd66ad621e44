package scenario

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
)

// GoldenSuffix is what a test file's name is followed by in the name of the file with its stored values.
const GoldenSuffix = ".golden"

// Golden keeps the values that assert.snapshot compares with in one test file: a text file beside it, with a section
// per value:
//
//	-- suite > test > 1 --
//	the value, line by line
//
// A line that begins with a backslash is the rest of it unquoted as a Go string; so are written lines that
// could be taken for something else. Golden is not safe for concurrent use.
type Golden struct {
	path   string
	update bool
	values map[string]string // nil: not read yet
	asked  map[string]bool   // keys
	dirty  bool
}

// NewGolden returns the stored values of a test file; they are read when they are asked for. With update, what Lookup
// is given is stored.
func NewGolden(testFile string, update bool) *Golden {
	return &Golden{path: testFile + GoldenSuffix, update: update, asked: map[string]bool{}}
}

// Lookup returns the value that is stored under a key, and whether there is one. With update it stores text, and
// returns it.
func (g *Golden) Lookup(key, text string) (stored string, ok bool, err error) {
	if err := g.read(); err != nil {
		return "", false, err
	}
	g.asked[key] = true
	stored, ok = g.values[key]
	if g.update && (!ok || stored != text) {
		g.values[key] = text
		g.dirty = true
		return text, true, nil
	}
	return stored, ok, nil
}

// Obsolete returns the keys that Lookup was not asked for, sorted, but those that keep wants to keep. With update,
// these values are removed.
func (g *Golden) Obsolete(keep func(key string) bool) ([]string, error) {
	if err := g.read(); err != nil {
		return nil, err
	}
	var obsolete []string
	for _, key := range slices.Sorted(maps.Keys(g.values)) {
		if g.asked[key] || keep(key) {
			continue
		}
		obsolete = append(obsolete, key)
		if g.update {
			delete(g.values, key)
			g.dirty = true
		}
	}
	return obsolete, nil
}

// Close writes what has changed. Without a value there is no file.
func (g *Golden) Close() error {
	if !g.dirty {
		return nil
	}
	g.dirty = false
	var err error
	if len(g.values) == 0 {
		err = os.Remove(g.path)
	} else {
		err = os.WriteFile(g.path, formatGolden(g.values), 0o666)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("store values: %w", err)
	}
	return nil
}

func (g *Golden) read() error {
	if g.values != nil {
		return nil
	}
	data, err := os.ReadFile(g.path)
	if errors.Is(err, fs.ErrNotExist) {
		g.values = map[string]string{}
		return nil
	}
	if err != nil {
		return fmt.Errorf("read stored values: %w", err)
	}
	text := strings.ReplaceAll(string(data), "\r\n", "\n") // some checkouts on Windows have it
	values, err := parseGolden(text)
	if err != nil {
		return fmt.Errorf("read stored values: %s:%w", g.path, err)
	}
	g.values = values
	return nil
}

const (
	sectionStart = "-- "
	sectionEnd   = " --"
)

// parseGolden reads the format of Golden; errors begin with the number of the line.
func parseGolden(text string) (map[string]string, error) {
	values := map[string]string{}
	var key string
	var value []string
	for number, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if strings.HasPrefix(line, sectionStart) && strings.HasSuffix(line, sectionEnd) && len(line) > len(sectionStart+sectionEnd) {
			if value != nil {
				values[key] = strings.Join(value, "\n")
			}
			key, value = line[len(sectionStart):len(line)-len(sectionEnd)], []string{}
			if strings.HasPrefix(key, `"`) {
				var err error
				if key, err = strconv.Unquote(key); err != nil {
					return nil, fmt.Errorf("%d: the key: %w", number+1, err)
				}
			}
			continue
		}
		if value == nil {
			if line == "" {
				continue
			}
			return nil, fmt.Errorf("%d: expected a section, got %q", number+1, line)
		}
		if quoted, ok := strings.CutPrefix(line, `\`); ok {
			var err error
			if line, err = strconv.Unquote(quoted); err != nil {
				return nil, fmt.Errorf("%d: the text after the backslash: %w", number+1, err)
			}
		}
		value = append(value, line)
	}
	if value != nil {
		values[key] = strings.Join(value, "\n")
	}
	return values, nil
}

// formatGolden is the text of a file, sections sorted by key.
func formatGolden(values map[string]string) []byte {
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(values)) {
		name := key
		if key != strings.TrimSpace(key) || key == "" || strings.HasPrefix(key, `"`) || strings.ContainsAny(key, "\r\n") {
			name = strconv.Quote(key)
		}
		b.WriteString(sectionStart + name + sectionEnd + "\n")
		for line := range strings.SplitSeq(values[key], "\n") {
			if strings.HasPrefix(line, sectionStart) || strings.HasPrefix(line, `\`) || strings.Contains(line, "\r") {
				line = `\` + strconv.Quote(line)
			}
			b.WriteString(line + "\n")
		}
	}
	return []byte(b.String())
}
