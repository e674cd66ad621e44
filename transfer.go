package sexton

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/sextongc/sexton/internal/effect"
	"github.com/sextongc/sexton/internal/state"
	"github.com/sextongc/sexton/objectstore"
	"github.com/sextongc/sexton/serialize"
)

// ErrExport: what is to be imported is neither an intact export nor an intact snapshot.
var ErrExport = errors.New("this is no intact export or snapshot")

// ErrNotEmpty: the environment holds objects, and what is imported is not to replace them.
var ErrNotEmpty = errors.New("the environment is not empty")

const (
	exportVersion = 1
	// jump is how far the numbers of incarnations move on where it is not known which ones were given out.
	jump = 1 << 32
	// mostNumber is the highest incarnation or epoch that is believed: after it there is room for a million jumps.
	mostNumber = 1 << 52
)

// exported is the head of an export: all that a snapshot does not hold of an environment.
type exported struct {
	Export      int              `json:"export"`
	Environment string           `json:"environment"` // the key of tokens
	Epoch       uint64           `json:"epoch"`       // of the last deployment
	Incarnation uint64           `json:"incarnation"` // the last one given out
	Effects     []exportedEffect `json:"effects"`     // that nobody recovered yet
}

// exportedEffect is an effect as an export has it.
type exportedEffect struct {
	Intent  intentRecord    `json:"intent"`
	Outcome *effect.Outcome `json:"outcome"` // null: not known
}

// Export returns everything there is to say about what is deployed: the snapshot, the effects of interrupted
// objects, and what keeps tokens and incarnations unique. Import goes on from it exactly. It takes no lock; of a deployment
// under way it shows one moment. The history is not in it.
func (e *Environment) Export() ([]byte, error) {
	var data []byte
	err := e.read(func(dir *state.Dir) error {
		last, err := replay(dir)
		if err != nil {
			return err
		}
		snapshot, err := serialize.EncodeSnapshot(last.graph)
		if err != nil {
			return err
		}
		head := &exported{
			Export: exportVersion, Environment: cmp.Or(last.key, dir.Environment()), Epoch: last.epoch + dir.Generation(),
			Incarnation: last.incarnation, Effects: []exportedEffect{},
		}
		for _, e := range last.effects {
			head.Effects = append(head.Effects, exportedEffect{e.intent, e.outcome})
		}
		data = encodeExport(head, snapshot)
		return nil
	})
	return data, err
}

// encodeExport writes the head on one line, the snapshot as it is, and a digest of both.
func encodeExport(head *exported, snapshot []byte) []byte {
	h := jsonOf(head)
	body := fmt.Appendf(nil, "%s,\n\"snapshot\":\n%s", bytes.TrimSuffix(h, []byte("}")), bytes.TrimSuffix(snapshot, []byte("\n")))
	sum := sha256.Sum256(body)
	return fmt.Appendf(body, ",\n\"digest\": \"sha256:%s\" }\n", hex.EncodeToString(sum[:]))
}

// decodeExport reads an export, or a snapshot; then head is nil.
func decodeExport(data []byte) (head *exported, g *objectstore.Graph, err error) {
	var whole struct {
		Snapshot json.RawMessage `json:"snapshot"`
		exported
	}
	if err := json.Unmarshal(data, &whole); err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrExport, err)
	}
	snapshot := data
	switch {
	case whole.Export > exportVersion:
		return nil, nil, fmt.Errorf("%w: it has version %d, and this program knows version %d: use a newer sexton", ErrExport, whole.Export, exportVersion)
	case whole.Export > 0:
		head = &whole.exported
		snapshot = append(bytes.Clone(whole.Snapshot), '\n')
		if !bytes.Equal(encodeExport(head, snapshot), data) {
			return nil, nil, fmt.Errorf("%w: the digest does not hold: it was changed after it was written", ErrExport)
		}
		if head.Environment == "" || head.Incarnation > mostNumber || head.Epoch > mostNumber {
			return nil, nil, fmt.Errorf("%w: it has no environment, or numbers that are too high", ErrExport)
		}
	}
	if g, err = serialize.DecodeSnapshot(snapshot); err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrExport, err)
	}
	return head, g, nil
}

// ImportOptions say how Environment.Import goes about it. Nil works.
type ImportOptions struct {
	File    string // names what is imported in the history
	Replace bool   // objects that are there are forgotten, as by Forget
	Reason  string // goes into the history
	// Confirm is asked before anything is changed, while the state is locked. An error refuses. Nil agrees.
	Confirm func(i *Imported) error
}

// Imported is what Environment.Import does.
type Imported struct {
	Objects     []Object
	Interrupted int      // effects that nobody recovered, of the export
	Forgotten   []Object // that were there, and are not the same objects
	// Exact: it is an export, so tokens and interrupted objects are as they were. Of a snapshot, objects get new
	// incarnations, and so new tokens.
	Exact bool
}

// Import makes the state of an empty environment what an export or a snapshot says. Nothing is created or
// destroyed: from now on the resources are this environment's. It is one commit, with a record in the
// history.
//
// Incarnations go on far above all that either side gave out, so that a token is never used for two
// resources, even if the environment that the export is of goes on as well. The error matches ErrExport,
// ErrNotEmpty, ErrLocked or ErrCorrupt; then nothing was changed.
func (e *Environment) Import(data []byte, opts *ImportOptions) (*Imported, error) {
	if opts == nil {
		opts = &ImportOptions{}
	}
	head, g, err := decodeExport(data)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	v := e.vault()
	if _, err := mapGraph(g, v.openEntry); err != nil {
		return nil, err
	}
	var done *Imported
	err = e.write(true, func(dir *state.Dir, last *replayed) error {
		if len(last.graph.Objects) > 0 && !opts.Replace {
			return fmt.Errorf("%s: %w: it holds %s", e.Name(), ErrNotEmpty, countObjects(len(last.graph.Objects)))
		}
		var next *replayed
		if done, next, err = importing(cmp.Or(last.key, dir.Environment()), last, head, g); err != nil {
			return err
		}
		if opts.Confirm != nil {
			if err := opts.Confirm(done); err != nil {
				return err
			}
		}
		o := Operation{Verb: "import", Reason: opts.Reason, Imported: historyObjects(done.Objects), Forgotten: historyObjects(done.Forgotten)}
		return o.commit(dir, v, last, next, began, opts.File)
	})
	if err != nil {
		return nil, err
	}
	return done, nil
}

// importing puts together what an environment, whose tokens are made with key, is after an import.
func importing(key string, last *replayed, head *exported, g *objectstore.Graph) (*Imported, *replayed, error) {
	next := &replayed{graph: g, key: last.key, incarnation: last.incarnation, epoch: last.epoch}
	done := &Imported{Exact: head != nil}
	same := map[string]uint64{} // incarnations of objects that are what they were
	if head != nil {
		done.Interrupted = len(head.Effects)
		next.incarnation = max(next.incarnation, head.Incarnation)
		next.epoch = max(next.epoch, head.Epoch) // and generations are added to it
		for _, e := range g.Objects {
			next.incarnation = max(next.incarnation, e.Incarnation)
			if head.Environment == key {
				same[e.ID] = e.Incarnation
			}
		}
		if head.Environment != key {
			next.key = head.Environment
		}
	}
	ahead, err := further(next.incarnation)
	if err != nil {
		return nil, nil, err
	}
	next.incarnation = ahead
	if head == nil {
		renumber(next)
	}
	stays := func(id string, incarnation uint64) bool {
		i, ok := same[id]
		return ok && i == incarnation && i != 0
	}
	for _, e := range last.graph.Objects {
		if !stays(e.ID, e.Incarnation) {
			done.Forgotten = append(done.Forgotten, *entryObject(e))
		}
	}
	for _, e := range next.graph.Objects {
		done.Objects = append(done.Objects, *entryObject(e))
	}
	// Effects that were recorded here since the export are still to be recovered.
	known := map[string]bool{}
	add := func(intent intentRecord, outcome *effect.Outcome) {
		intent.N = 0
		if text := string(jsonOf(exportedEffect{intent, outcome})); !known[text] {
			known[text] = true
			intent.N = uint64(len(next.effects) + 1)
			next.effects = append(next.effects, &recordedEffect{intent: intent, outcome: outcome})
		}
	}
	if head != nil {
		for _, e := range head.Effects {
			add(e.Intent, e.Outcome)
		}
	}
	for _, e := range last.effects {
		if stays(e.intent.Object, e.intent.Incarnation) {
			add(e.intent, e.outcome)
		}
	}
	return done, next, nil
}

// further returns a number of an incarnation that is far above n, and above what others make of n: of two
// environments that go on from the same export, both would otherwise give out the same numbers.
func further(n uint64) (uint64, error) {
	var random [4]byte
	if _, err := rand.Read(random[:]); err != nil {
		return 0, err
	}
	return n + jump + uint64(binary.BigEndian.Uint32(random[:])), nil
}

// renumber gives all objects incarnations that no object had.
func renumber(next *replayed) {
	g := &objectstore.Graph{Root: next.graph.Root}
	for _, e := range next.graph.Objects {
		next.incarnation++
		numbered := *e
		numbered.Incarnation = next.incarnation
		g.Objects = append(g.Objects, &numbered)
	}
	next.graph = g
}
