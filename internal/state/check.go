package state

import (
	"bytes"
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
	if fsys == nil {
		fsys = osFS{}
	}
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

// Salvaged is what can be read of a damaged directory.
type Salvaged struct {
	Environment string // empty if the journal's beginning is unreadable
	Generation  uint64 // that the snapshot was current in; 0 if unknown
	File        string // that the snapshot was found in; empty if there was none yet
	Snapshot    []byte
	Meta        []byte
	Records     []Record // whole groups behind the snapshot, up to the damage
	Verified    bool     // the journal confirms the snapshot's digest
	Lost        []Finding
}

// Salvage reads what is intact of a directory that Open refuses: the newest snapshot that can be
// confirmed and the records that continue it. It changes nothing. fsys is as in Options.
func Salvage(dir string, fsys FS) (*Salvaged, error) {
	if fsys == nil {
		fsys = osFS{}
	}
	data, err := readOptional(fsys, filepath.Join(dir, journalFile))
	if err != nil {
		return nil, err
	}
	marks, err := readOptional(fsys, filepath.Join(dir, markFile))
	if err != nil {
		return nil, err
	}
	m, _ := readMark(marks)
	s, err := scanJournal(data, m)
	if errors.Is(err, ErrNewerVersion) {
		return nil, err
	}
	out := &Salvaged{}
	if err != nil {
		out.Lost = append(out.Lost, findingOf(err))
	}
	if s == nil {
		return out, out.unconfirmed(dir, fsys)
	}
	out.Environment, out.Generation, out.Meta = s.header.Environment, s.header.Generation, s.meta
	img := &image{scanned: s}
	err = img.loadSnapshot(fsys, dir)
	if err == nil {
		out.Snapshot, out.Records, out.Verified = img.snapshot, s.records, true
		switch {
		case img.pendingSnapshot:
			out.File = snapshotNext
		case img.snapshot != nil:
			out.File = snapshotFile
		}
		return out, nil
	}
	if !errors.Is(err, ErrCorrupt) {
		return nil, err
	}
	out.Lost = append(out.Lost, findingOf(err))
	for _, k := range s.header.Kept {
		for _, name := range []string{keptFile(k.Generation), snapshotFile} {
			data, err := readOptional(fsys, filepath.Join(dir, name))
			if err == nil && data != nil && digest(data) == k.Digest {
				out.Generation, out.File, out.Snapshot, out.Verified = k.Generation, name, data, true
				out.Lost = append(out.Lost, Finding{File: journalFile,
					Problem: fmt.Sprintf("its %d records continue the lost snapshot of generation %d", len(s.records), s.header.Generation)})
				return out, nil
			}
		}
	}
	return out, out.unconfirmed(dir, fsys)
}

// unconfirmed takes the newest snapshot there is.
func (out *Salvaged) unconfirmed(dir string, fsys FS) error {
	names, err := fsys.ReadDir(dir)
	if err != nil {
		return err
	}
	var newest uint64
	for _, name := range names {
		g, isKept := keptGeneration(name)
		if name != snapshotFile && (!isKept || out.File == snapshotFile || g < newest) {
			continue
		}
		data, err := fsys.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		out.File, out.Snapshot, out.Generation, newest = name, bytes.Clone(data), g, g
	}
	if out.File == "" {
		return fmt.Errorf("%s: no snapshot is left: %w", dir, ErrNoState)
	}
	return nil
}
