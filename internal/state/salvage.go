package state

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
)

// Salvaged is what can be read of a damaged directory.
type Salvaged struct {
	Environment string // empty if neither the journal's beginning nor the mark can be read
	Generation  uint64 // that the snapshot was current in; 0 if unknown
	File        string // that the snapshot was found in; empty if there was none yet
	Snapshot    []byte
	Meta        []byte
	Records     []Record // whole groups behind the snapshot, up to the damage
	Verified    bool     // the journal confirms the snapshot's digest
	Lost        []Finding

	// Behind are records of whole groups that continue something that is lost: what stood in front of the
	// damage, or the snapshot. Each of them is as it was written.
	Behind []Record
	// Copies are all snapshots that there are, newest first, intact or not.
	Copies  []Copy
	Journal []byte // as it is
	History []byte // those of its lines that are intact
	Last    uint64 // the highest generation that anything tells of
	Seq     uint64 // the highest number of a record
}

// Copy is a snapshot file.
type Copy struct {
	File string
	Data []byte
}

// Salvage reads what is intact of a directory that Open refuses: the newest snapshot that can be
// confirmed and the records that continue it. It changes nothing. fsys is as in Options. That nothing can be read is
// no error; the error matches ErrNoState if there is nothing at all.
func Salvage(dir string, fsys FS) (*Salvaged, error) {
	fsys = cmp.Or(fsys, OS)
	out := &Salvaged{}
	var marks, history []byte
	for name, data := range map[string]*[]byte{journalFile: &out.Journal, markFile: &marks, historyFile: &history} {
		var err error
		if *data, err = readOptional(fsys, filepath.Join(dir, name)); err != nil {
			return nil, err
		}
	}
	m, _ := readMark(marks)
	s, err := scanJournal(out.Journal, m)
	if out.Journal == nil {
		err = noJournal(fsys, dir)
	}
	if err != nil && !errors.Is(err, ErrCorrupt) {
		return nil, err
	}
	if err != nil {
		out.Lost = append(out.Lost, findingOf(err))
	}
	if err := out.copies(dir, fsys); err != nil {
		return nil, err
	}
	if m != nil {
		out.Environment, out.Last = m.environment, max(out.Last, m.generation)
	}
	found := s
	if s == nil {
		found = headerOf(out.Journal)
	}
	if found != nil {
		h := &found.header
		out.Environment, out.Meta, out.Last = h.Environment, found.meta, max(out.Last, h.Generation)
		out.Behind, out.Seq = behind(out.Journal[found.size:], found.seed, found.seq)
	}
	out.keepHistory(history, found)
	if s == nil {
		if found != nil {
			out.Behind = append(found.records, out.Behind...)
		}
		out.unconfirmed()
		return out, nil
	}
	out.Generation = s.header.Generation
	return out, out.confirmed(dir, fsys, s)
}

// confirmed looks for a snapshot that the journal knows.
func (out *Salvaged) confirmed(dir string, fsys FS, s *scanned) error {
	img := &image{scanned: s}
	err := img.loadSnapshot(fsys, dir)
	if err == nil {
		out.Snapshot, out.Records, out.Verified = img.snapshot, s.records, true
		switch {
		case img.pendingSnapshot:
			out.File = snapshotNext
		case img.snapshot != nil:
			out.File = snapshotFile
		}
		return nil
	}
	if !errors.Is(err, ErrCorrupt) {
		return err
	}
	out.Lost = append(out.Lost, findingOf(err))
	out.Behind = append(slices.Clone(s.records), out.Behind...)
	for _, k := range s.header.Kept {
		for _, c := range out.Copies {
			if (c.File == keptFile(k.Generation) || c.File == snapshotFile) && digest(c.Data) == k.Digest {
				out.Generation, out.File, out.Snapshot, out.Verified = k.Generation, c.File, c.Data, true
				out.Lost = append(out.Lost, Finding{File: journalFile,
					Problem: fmt.Sprintf("its %d records continue the lost snapshot of generation %d", len(s.records), s.header.Generation)})
				return nil
			}
		}
	}
	out.unconfirmed()
	return nil
}

// copies reads all snapshots.
func (out *Salvaged) copies(dir string, fsys FS) error {
	names, err := fsys.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var generations []uint64
	for _, name := range names {
		if g, ok := keptGeneration(name); ok {
			generations = append(generations, g)
			out.Last = max(out.Last, g+1) // it was current until the next one began
		}
	}
	slices.Sort(generations)
	slices.Reverse(generations)
	order := []string{snapshotNext, snapshotFile}
	for _, g := range generations {
		order = append(order, keptFile(g))
	}
	for _, name := range order {
		data, err := readOptional(fsys, filepath.Join(dir, name))
		if err != nil {
			return err
		}
		if data != nil {
			out.Copies = append(out.Copies, Copy{name, data})
		}
	}
	return nil
}

// unconfirmed takes the newest snapshot there is, but for one that no commit may have made the state.
func (out *Salvaged) unconfirmed() {
	for _, c := range out.Copies {
		if c.File != snapshotNext {
			out.File, out.Snapshot = c.File, c.Data
			out.Generation, _ = keptGeneration(c.File)
			return
		}
	}
}

// headerOf reads what is intact of a journal whose first group is damaged: the header, and the records of the
// group one by one, because it was whole before it got its name. It returns nil without the header.
func headerOf(data []byte) *scanned {
	at := int64(bytes.IndexByte(data, '\n') + 1)
	l, problem := parseLine(data[at:], headerSeed())
	s := &scanned{}
	if at == 0 || problem != "" || l.kind != kindHeader || json.Unmarshal(l.rest, &s.header) != nil {
		return nil
	}
	s.seed, s.seq, s.size = l.crc, l.seq, at+int64(l.length)
	for s.size < int64(len(data)) {
		l, problem := parseLine(data[s.size:], s.seed)
		if problem != "" {
			next := bytes.IndexByte(data[s.size:], '\n')
			if next < 0 {
				return s
			}
			s.size += int64(next + 1)
			continue
		}
		switch l.kind {
		case kindMeta:
			s.meta = l.rest
		case kindHistory:
			s.history = l.rest
		case Intent, Outcome:
			s.records = append(s.records, Record{l.kind, l.rest})
		case kindEnd:
			s.seq, s.size = l.seq, s.size+int64(l.length)
			return s
		default:
			return s // its end is damaged
		}
		s.seq, s.size = l.seq, s.size+int64(l.length)
	}
	return s
}

// behind reads the whole groups of data, which begins with one, damaged or not. A group in which something is
// missing may never have been acknowledged, and is left out.
func behind(data []byte, seed uint32, seq uint64) (records []Record, last uint64) {
	begun := true // a group begins here, or has begun
	var group []Record
	for len(data) > 0 {
		l, problem := parseLine(data, seed)
		switch {
		case problem != "":
			begun, group = false, nil
			l.length = bytes.IndexByte(data, '\n') + 1
			if l.length == 0 {
				return records, seq
			}
		case l.seq <= seq || len(group) > 0 && l.seq != seq+1:
			begun, group = false, nil
		case l.kind == kindEnd:
			if begun {
				records = append(records, group...)
			}
			begun, group = true, nil
		default:
			group = append(group, Record{l.kind, l.rest})
		}
		if problem == "" {
			seq = max(seq, l.seq)
		}
		data = data[l.length:]
	}
	return records, seq
}

// keepHistory keeps the lines of the history that are intact, each on its own, and the last one from the journal.
func (out *Salvaged) keepHistory(data []byte, s *scanned) {
	seed := historySeed(out.Environment)
	whole, last := true, uint64(0)
	for len(data) > 0 {
		l, problem := parseLine(data, seed)
		if problem == "" && l.kind == kindDeployment && l.seq > last {
			out.History, last = append(out.History, data[:l.length]...), l.seq
		} else {
			whole = false
			if l.length = bytes.IndexByte(data, '\n') + 1; l.length == 0 {
				break
			}
		}
		data = data[l.length:]
	}
	if s != nil && s.history != nil && last < s.header.Generation {
		out.History = append(out.History, s.historyLine()...)
		last = s.header.Generation
	}
	out.Last = max(out.Last, last)
	if s != nil && len(out.Lost) == 0 {
		if size := int64(len(out.History) - len(s.historyLine())); size < s.header.History.Size || !whole {
			out.Lost = append(out.Lost, Finding{File: historyFile, Problem: "some of its records cannot be read"})
		}
	}
}
