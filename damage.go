package sexton

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/sextongc/sexton/internal/state"
	"github.com/sextongc/sexton/objectstore"
	"github.com/sextongc/sexton/serialize"
)

// RecoverOptions say where Environment.Recover writes what it could read. Nil works.
type RecoverOptions struct {
	// Out is a new state directory; empty: the state directory's name with ".recovered".
	Out string
	// Replace puts it into the place of what is damaged, and the damaged files into a new directory: the
	// state directory's name with ".damaged-<n>".
	Replace bool
	// Confirm is asked before anything is written. An error refuses. Nil agrees.
	Confirm func(r *Recovery) error
}

// Recovery is what Environment.Recover found.
type Recovery struct {
	Intact   bool      // nothing was wrong, and nothing was done
	Dir      string    // where the recovered state is
	Damaged  string    // with Replace: where the damaged files are
	File     string    // of the damaged directory, that the snapshot is from; empty: none could be read
	Problems []Finding // what is wrong with the damaged files
	Objects  []Object  // recovered
	Stale    bool      // objects may be older than they were: nothing confirms that the snapshot is the newest
	Effects  int       // of interrupted objects
	// Lost are objects that damaged files name and that could not be read. Their resources are left to the
	// operator. There may have been others.
	Lost []Object
	// NewTokens: the environment's id could not be read, so that tokens change.
	NewTokens bool
}

// Recover writes what is intact of a damaged state, which Deploy refuses, to a new place, and says what is lost.
// The damaged files stay as they are, or with Replace as copies. What is written is whole: it was verified, and
// a deployment goes on from it. Incarnations move far on, because the last ones given out may be lost.
//
// The error matches ErrNoState, ErrLocked, or fs.ErrExist if there is something in the new place.
func (e *Environment) Recover(opts *RecoverOptions) (*Recovery, error) {
	if opts == nil {
		opts = &RecoverOptions{}
	}
	began := time.Now()
	if intact, err := e.intact(); err != nil || intact {
		return &Recovery{Intact: intact}, err
	}
	unlock, err := state.Lock(e.dir, e.opts.fs)
	if err != nil {
		return nil, err
	}
	r, err := e.recoverLocked(opts, began)
	if err = errors.Join(err, unlock()); err != nil {
		return nil, err
	}
	return r, e.verify(r.Dir)
}

// intact reports whether a deployment could go on.
func (e *Environment) intact() (bool, error) {
	err := e.read(func(dir *state.Dir) error {
		_, err := replay(dir)
		return err
	})
	if errors.Is(err, ErrCorrupt) {
		return false, nil
	}
	return err == nil, err
}

func (e *Environment) recoverLocked(opts *RecoverOptions, began time.Time) (*Recovery, error) {
	s, err := state.Salvage(e.dir, e.opts.fs)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.dir, err)
	}
	found, err := readable(s)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.dir, err)
	}
	r := &found.Recovery
	origin, err := found.origin(s, began)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.dir, err)
	}
	r.Dir = opts.Out
	switch {
	case opts.Replace:
		r.Dir = e.dir
		for n := 1; r.Damaged == ""; n++ {
			if name := e.dir + ".damaged-" + strconv.Itoa(n); !e.exists(name) {
				r.Damaged = name
			}
		}
	case opts.Out == "":
		r.Dir = e.dir + ".recovered"
	}
	if !opts.Replace && e.exists(r.Dir) {
		return nil, fmt.Errorf("%s: %w", r.Dir, os.ErrExist)
	}
	if opts.Confirm != nil {
		if err := opts.Confirm(r); err != nil {
			return nil, err
		}
	}
	if opts.Replace {
		if err := state.Duplicate(e.dir, r.Damaged, e.opts.fs); err != nil {
			return nil, fmt.Errorf("copy what is damaged: %w", err)
		}
		if err := state.Begin(e.dir, e.opts.fs, origin); err != nil {
			return nil, fmt.Errorf("write what was recovered: %w", err)
		}
		return r, nil
	}
	if err := state.Create(r.Dir, e.opts.fs, origin); err != nil {
		return nil, fmt.Errorf("write what was recovered: %w", err)
	}
	return r, nil
}

// verify opens a recovered state as a deployment would, and checks all of it.
func (e *Environment) verify(dir string) error {
	d, err := state.Open(dir, &state.Options{FS: e.opts.fs})
	if err != nil {
		return err
	}
	_, err = replay(d)
	if err = errors.Join(err, d.Close()); err != nil {
		return err
	}
	for _, f := range state.Check(dir, e.opts.fs) {
		if !f.Harmless {
			return fmt.Errorf("%s: what was recovered is damaged, too: %s", dir, f.Problem)
		}
	}
	return nil
}

func (e *Environment) exists(dir string) bool {
	if e.opts.fs != nil {
		names, err := e.opts.fs.ReadDir(dir)
		return err == nil && len(names) > 0
	}
	_, err := os.Lstat(dir)
	return err == nil
}

// Readable returns what can be read of a damaged state, as State does of one that is whole: the newest snapshot
// that is intact, with what still follows it. It says what is wrong, takes no lock and changes nothing. The error matches
// ErrNoState, or ErrCorrupt if nothing can be read.
func (e *Environment) Readable() (*StateInfo, *Recovery, error) {
	s, err := state.Salvage(e.dir, e.opts.fs)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", e.dir, err)
	}
	found, err := readable(s)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", e.dir, err)
	}
	return newStateInfo(found.graph, found.effects), &found.Recovery, nil
}

// salvaged is what could be read of a damaged state.
type salvaged struct {
	Recovery
	graph    *objectstore.Graph // closed
	snapshot []byte             // the graph's
	effects  []*recordedEffect  // that nothing covers
	meta     meta
}

func readable(s *state.Salvaged) (*salvaged, error) {
	r := &salvaged{Recovery: Recovery{Problems: s.Lost, Stale: !s.Verified || s.Generation < s.Last, NewTokens: s.Environment == ""}}
	base, err := baseOf(s, &r.Recovery)
	if err != nil {
		return nil, err
	}
	if json.Unmarshal(s.Meta, &r.meta) != nil && s.Last > 0 {
		r.Problems = append(r.Problems, Finding{File: "journal", Problem: "what it keeps beside the snapshot cannot be read: " +
			"what interrupted objects did and, of a state that was imported, what tokens are made with"})
	}
	p := newReplayer(base, r.meta.Incarnation)
	records := append(s.Records, s.Behind...)
	for i, record := range records {
		if record.Kind == state.Plan {
			record = p.known(record)
		}
		if err := p.apply(record); err != nil {
			r.Problems = append(r.Problems, Finding{File: "journal", Problem: fmt.Sprintf("record %d (%s) does not fit: %v", i+1, record.Kind, err)})
		}
	}
	read := p.graph()
	sweep(read)
	r.graph = settle(base, read)
	if r.snapshot, err = serialize.EncodeSnapshot(r.graph); err != nil { // a cycle of owners
		r.graph = base
		if r.snapshot, err = serialize.EncodeSnapshot(base); err != nil {
			return nil, err
		}
	}
	r.meta.Incarnation = r.lost(s, records, p.order, read, r.graph, p.incarnation)
	for _, e := range r.graph.Objects {
		r.Objects = append(r.Objects, *entryObject(e))
	}
	r.effects = p.uncovered()
	r.Effects = len(r.effects)
	return r, nil
}

// origin is a state of what could be read.
func (r *salvaged) origin(s *state.Salvaged, began time.Time) (*state.Origin, error) {
	m := r.meta
	var err error
	if m.Incarnation, err = further(m.Incarnation); err != nil {
		return nil, err
	}
	h := &HistoryRecord{
		Number: s.Last + 1, Time: began.UTC(), Duration: time.Since(began), Outcome: Done,
		Operation: Operation{Verb: "recover", Lost: historyObjects(r.Lost)},
	}
	return &state.Origin{
		Environment: s.Environment, Generation: s.Last + 1, Seq: s.Seq, Snapshot: r.snapshot, Meta: jsonOf(&m), History: s.History,
		Record: jsonOf(h), Carry: effectRecords(r.effects),
	}, nil
}

// known takes what is lost out of a plan.
func (r *replayer) known(record state.Record) state.Record {
	var p planRecord
	if json.Unmarshal(record.Payload, &p) != nil {
		return record // applying it tells why
	}
	p.Doomed = slices.DeleteFunc(p.Doomed, func(id string) bool { return r.objects[id] == nil })
	record.Payload = jsonOf(&p)
	return record
}

// baseOf returns the newest snapshot that can be read.
func baseOf(s *state.Salvaged, r *Recovery) (*objectstore.Graph, error) {
	if s.Verified && len(s.Snapshot) == 0 {
		return &objectstore.Graph{}, nil
	}
	candidates := append([]state.Copy{{File: s.File, Data: s.Snapshot}}, s.Copies...)
	for i, c := range candidates {
		if len(c.Data) == 0 {
			continue
		}
		g, err := serialize.DecodeSnapshot(c.Data)
		if err == nil {
			r.File = c.File
			r.Stale = r.Stale || i > 0
			return g, nil
		}
		if i > 0 {
			r.Problems = append(r.Problems, Finding{File: c.File, Problem: err.Error()})
		}
	}
	if len(s.Behind) == 0 {
		return nil, fmt.Errorf("%w: nothing in it can be read", ErrCorrupt)
	}
	return &objectstore.Graph{}, nil
}

// settle makes a graph closed. What was removed since base, which is closed, comes back if something names it.
// Objects that name what is nowhere become again what they were in base, or go.
func settle(base, g *objectstore.Graph) *objectstore.Graph {
	was := make(map[string]*objectstore.Entry, len(base.Objects))
	for _, e := range base.Objects {
		was[e.ID] = e
	}
	for {
		is := make(map[string]bool, len(g.Objects))
		for _, e := range g.Objects {
			is[e.ID] = true
		}
		settled := &objectstore.Graph{}
		changed := false
		for _, e := range g.Objects {
			for _, id := range missingOf(e, is) {
				changed = true
				if was[id] == nil {
					e = was[e.ID]
					break
				}
			}
			if e != nil {
				settled.Objects = append(settled.Objects, e)
			}
		}
		for _, e := range settled.Objects[:len(settled.Objects):len(settled.Objects)] {
			for _, id := range missingOf(e, is) {
				if was[id] != nil && !is[id] {
					is[id] = true
					settled.Objects = append(settled.Objects, was[id])
				}
			}
		}
		for _, id := range []string{base.Root, g.Root} {
			if is[id] {
				settled.Root = id
			}
		}
		if g = settled; !changed {
			return g
		}
	}
}

// missingOf lists what an object names and is not there.
func missingOf(e *objectstore.Entry, is map[string]bool) (missing []string) {
	names(e, func(id string) {
		if !is[id] {
			missing = append(missing, id)
		}
	})
	return missing
}

// An object's header, in snapshots and in the journal, as far as it names the object.
var namedObject = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"\?": ?\{ ?"id": ?("(?:[^"\\]|\\.)*"), ?"type": ?("(?:[^"\\]|\\.)*")([^{}\n]*)`)
})

var (
	namedOwner       = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"owner": ?("(?:[^"\\]|\\.)*")`) })
	namedIncarnation = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"incarnation": ?(\d{1,16})\b`) })
)

// lost lists the objects that only damaged text or other records name, and those that were read and could not be
// kept. It returns the highest incarnation of all. An object that was read once and is no longer there is
// destroyed.
func (r *Recovery) lost(s *state.Salvaged, records []state.Record, put []string, read, g *objectstore.Graph, incarnation uint64) uint64 {
	mentioned, seen := mentions(records)
	for _, id := range put {
		seen[id] = true
	}
	kept := make(map[string]bool, len(g.Objects))
	for _, e := range g.Objects {
		kept[e.ID] = true
	}
	for _, e := range read.Objects {
		if !kept[e.ID] {
			r.Lost = append(r.Lost, *entryObject(e))
		}
	}
	texts := [][]byte{s.Journal}
	newer := true // than the snapshot that was read
	for _, c := range s.Copies {
		newer = newer && c.File != r.File
		if newer {
			texts = append(texts, c.Data)
		} else {
			incarnation = highest(incarnation, c.Data)
		}
	}
	for _, text := range texts {
		incarnation = highest(incarnation, text)
		for _, found := range namedObject().FindAllSubmatch(text, -1) {
			var o Object
			if json.Unmarshal(found[1], &o.ID) != nil || json.Unmarshal(found[2], &o.Type) != nil || seen[o.ID] {
				continue
			}
			if owner := namedOwner().FindSubmatch(found[3]); owner != nil {
				_ = json.Unmarshal(owner[1], &o.Owner)
			}
			seen[o.ID] = true
			r.Lost = append(r.Lost, o)
		}
	}
	for _, id := range mentioned {
		if !seen[id] {
			seen[id] = true
			r.Lost = append(r.Lost, Object{ID: id})
		}
	}
	return incarnation
}

// mentions lists the ids of objects that records tell of without having them, and those of which they say that
// they are destroyed.
func mentions(records []state.Record) (ids []string, ended map[string]bool) {
	ended = map[string]bool{}
	for _, record := range records {
		var m struct {
			Doomed  []string `json:"doomed"`
			Removed []string `json:"removed"`
			ID      string   `json:"id"`
			State   string   `json:"state"`
			Object  string   `json:"object"`
		}
		if json.Unmarshal(record.Payload, &m) != nil {
			continue
		}
		switch record.Kind {
		case state.Checkpoint:
			for _, id := range m.Removed {
				ended[id] = true
			}
		case state.Plan:
			ids = append(ids, m.Doomed...)
		case state.Destroyed:
			ended[m.ID] = m.State == "destroyed"
			ids = append(ids, m.ID)
		case state.Intent:
			ids = append(ids, m.Object)
		}
	}
	return slices.DeleteFunc(ids, func(id string) bool { return id == "" || ended[id] }), ended
}

// highest returns the highest incarnation that a text names. What a flipped bit made of one may be too high, but
// not so high that numbers run out.
func highest(n uint64, text []byte) uint64 {
	for _, found := range namedIncarnation().FindAllSubmatch(text, -1) {
		if i, err := strconv.ParseUint(string(found[1]), 10, 64); err == nil && i <= mostNumber {
			n = max(n, i)
		}
	}
	return n
}
