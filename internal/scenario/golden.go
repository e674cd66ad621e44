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

// Golden keeps the values that assert.snapshot compares with: for each test file a text file
// beside it, with a section per value:
//
//	-- suite > test > 1 --
//	the value, line by line
//
// A line that begins with a backslash is the rest of it unquoted as a Go string; so are written lines that
// could be taken for something else. Golden is not safe for concurrent use.
type Golden struct {
	update bool
	files  map[string]*goldenFile
}

type goldenFile struct {
	values map[string]string
	dirty  bool
}

// NewGolden returns stored values that are read when they are asked for. With update, what Lookup is
// given is stored. Values that no test asks for any more stay until their file is deleted.
func NewGolden(update bool) *Golden {
	return &Golden{update: update, files: map[string]*goldenFile{}}
}

// Lookup returns the value that is stored for a test file under a key, and whether there is one. With
// update it stores text, and returns it.
func (g *Golden) Lookup(file, key, text string) (stored string, ok bool, err error) {
	f := g.files[file]
	if f == nil {
		if f, err = readGolden(file + GoldenSuffix); err != nil {
			return "", false, err
		}
		g.files[file] = f
	}
	stored, ok = f.values[key]
	if g.update && (!ok || stored != text) {
		f.values[key] = text
		f.dirty = true
		return text, true, nil
	}
	return stored, ok, nil
}

// Close writes what has changed.
func (g *Golden) Close() error {
	var failures []error
	for _, file := range slices.Sorted(maps.Keys(g.files)) {
		f := g.files[file]
		if !f.dirty {
			continue
		}
		if err := os.WriteFile(file+GoldenSuffix, f.format(), 0o666); err != nil {
			failures = append(failures, fmt.Errorf("store values of %s: %w", file, err))
		}
		f.dirty = false
	}
	return errors.Join(failures...)
}

func readGolden(path string) (*goldenFile, error) {
	f := &goldenFile{values: map[string]string{}}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read stored values: %w", err)
	}
	text := strings.ReplaceAll(string(data), "\r\n", "\n") // some checkouts on Windows have it
	if f.values, err = parseGolden(text); err != nil {
		return nil, fmt.Errorf("read stored values: %s:%w", path, err)
	}
	return f, nil
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

// format is the text of the file, sections sorted by key.
func (f *goldenFile) format() []byte {
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(f.values)) {
		name := key
		if key != strings.TrimSpace(key) || key == "" || strings.HasPrefix(key, `"`) || strings.ContainsAny(key, "\r\n") {
			name = strconv.Quote(key)
		}
		b.WriteString(sectionStart + name + sectionEnd + "\n")
		for line := range strings.SplitSeq(f.values[key], "\n") {
			if strings.HasPrefix(line, sectionStart) || strings.HasPrefix(line, `\`) || strings.Contains(line, "\r") {
				line = `\` + strconv.Quote(line)
			}
			b.WriteString(line + "\n")
		}
	}
	return []byte(b.String())
}
