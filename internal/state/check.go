package state

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
)

// Finding is one thing that Check noticed.
type Finding struct {
	File     string // name within the directory; empty if it is about the directory
	Problem  string
	Harmless bool // nothing is lost, and the next Open by a writer puts it right where that is needed
}

// Check verifies a directory without changing it, more thoroughly than Open does, and reports what it finds; none
// means that all is well. fsys is as in Options. It takes no lock: of a directory that is being
// written to it may report as harmless what is under way.
func Check(dir string, fsys FS) []Finding {
	fsys = cmp.Or(fsys, OS)
	img, err := loadStable(fsys, dir)
	if err != nil {
		return []Finding{findingOf(err)}
	}
	var found []Finding
	harmless := func(file, format string, args ...any) {
		found = append(found, Finding{file, fmt.Sprintf(format, args...), true})
	}
	if t := img.tail; t != nil {
		harmless(journalFile, "an append was cut off: %d bytes at byte %d were never acknowledged (%s)", t.Size, t.Offset, t.Reason)
	}
	if img.mark == nil {
		harmless(markFile, "it is missing or unreadable: a cut at the end of the journal cannot be told from a crash")
	}
	if img.pendingHistory {
		harmless(historyFile, "its last record is missing; the journal has it")
	}
	if img.pendingSnapshot {
		harmless(snapshotNext, "the commit of generation %d got it here and no further", img.header.Generation)
	}
	for _, k := range img.header.Kept {
		if img.pendingSnapshot && k == img.header.Kept[0] {
			continue // may not have its name yet
		}
		name := keptFile(k.Generation)
		data, err := readOptional(fsys, filepath.Join(dir, name))
		switch {
		case err != nil:
			found = append(found, Finding{File: name, Problem: err.Error()})
		case data == nil:
			harmless(name, "this earlier snapshot is missing")
		case digest(data) != k.Digest:
			found = append(found, Finding{File: name, Problem: "this earlier snapshot was altered"})
		}
	}
	return found
}

func findingOf(err error) Finding {
	var c *CorruptError
	if errors.As(err, &c) {
		return Finding{File: c.File, Problem: err.Error()}
	}
	return Finding{Problem: err.Error()}
}
