package disk

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/internal/state"
	"github.com/sextongc/sexton/internal/state/simdisk"
)

// content is all that a state directory says, condensed.
type content [sha256.Size]byte

func contentOf(dir *state.Dir) (content, error) {
	history, err := dir.History(-1)
	h := sha256.New()
	write := func(parts ...[]byte) {
		for _, part := range parts {
			fmt.Fprintf(h, " %d ", len(part))
			h.Write(part)
		}
	}
	fmt.Fprint(h, dir.Environment(), dir.Generation(), len(history))
	write(dir.Snapshot(), dir.Meta())
	write(history...)
	for _, r := range dir.Records() {
		write([]byte(r.Kind), r.Payload)
	}
	return content(h.Sum(nil)), err
}

// read opens a state; there may be none. It is not closed: the process may have crashed as well.
func read(disk *simdisk.Disk, readOnly bool) (*state.Dir, content, error) {
	dir, err := state.Open(stateDir, &state.Options{FS: disk, ReadOnly: readOnly})
	if errors.Is(err, state.ErrNoState) {
		return nil, content{}, nil
	}
	if err != nil {
		return nil, content{}, err
	}
	c, err := contentOf(dir)
	return dir, c, err
}

// found is what the next deployment finds on a disk.
type found struct {
	history int
	ids     map[string]string // token of what is not destroyed, by id
	tokens  map[string]sexton.StoredObject
}

// look reads a state in every way that there is.
func (w *world) look(t *testing.T, disk *simdisk.Disk, text func() string) *found {
	t.Helper()
	f := &found{ids: map[string]string{}, tokens: map[string]sexton.StoredObject{}}
	dir, _, err := read(disk, true)
	require.NoError(t, err, text)
	if dir == nil {
		return f
	}
	env := on(t, w.opts, disk)
	findings, err := env.Check()
	require.NoError(t, err, text)
	for _, finding := range findings {
		require.True(t, finding.Harmless, "%v: %s", finding, text())
	}
	history, err := env.History(-1)
	require.NoError(t, err, text)
	f.history = len(history)
	info, err := env.State()
	require.NoError(t, err, text)
	for _, o := range info.Objects {
		if o.State != "destroyed" {
			token := tokenOf(dir.Environment(), o.ID, o.Entry.Incarnation)
			f.ids[o.ID], f.tokens[token] = token, o
		}
	}
	_, err = env.Snapshot()
	require.NoError(t, err, text)
	return f
}

// situation is what a crash left behind: a disk, the ledger of the outside, and the step that was under way.
type situation struct {
	workload *workload
	step     int
	disk     *simdisk.Disk
	ledger   []line
	history  int // records of deployments that were acknowledged
	text     string
}

// verify checks what is found, does the step again, destroys everything, and checks the promises. It returns what was
// found, and what the second attempt at the step wrote to the ledger; the disk has its operations.
func (w *world) verify(t *testing.T, s *situation) (*found, []line) {
	t.Helper()
	text := func() string {
		return fmt.Sprintf("%s, step %d, %s\nledger: %s", s.workload.name, s.step+1, s.text, texts(s.ledger))
	}
	f := w.look(t, s.disk, text)
	// P1: what stands outside is in the state.
	for token, id := range standing(s.ledger) {
		require.Contains(t, f.tokens, token, "P1: %s stands and is not in the state: %s", id, text())
	}
	w.effects(t, s, f, text)
	// P6: what was acknowledged is there, and at most the step that was under way.
	require.True(t, f.history == s.history || f.history == s.history+1, "P6: %d records in the history: %s", f.history, text())
	w.order(t, s, f, text)

	again, report, err := w.redeploy(t, s.disk, s.workload.steps[s.step])
	before := text()
	text = func() string { return before + "\nthen: " + texts(again) }
	require.NoError(t, err, "the next deployment: %s", text())
	require.False(t, report.Incomplete(), text)
	w.judge(t, s, f, again, text)

	destroyed := s.disk.Clone()
	last, _, err := w.redeploy(t, destroyed, step{})
	all := slices.Concat(s.ledger, again, last)
	text = func() string { return before + "\nthen: " + texts(again) + "\nat last: " + texts(last) }
	require.NoError(t, err, "the last deployment: %s", text())
	require.Empty(t, standing(all), "P1: is forgotten: %s", text())
	end := w.look(t, destroyed, text)
	require.Empty(t, end.tokens, text)
	w.life(t, s, all, text)
	return f, again
}

// effects checks at the crash that what was made last is known: as a property, or as an effect that recover() is told of.
func (w *world) effects(t *testing.T, s *situation, f *found, text func() string) {
	t.Helper()
	made := map[string]string{}
	for _, l := range s.ledger {
		switch l.verb {
		case "make":
			made[l.token] = l.by
		case "recover": // it was told
			delete(made, l.token)
		}
	}
	for token, o := range f.tokens {
		what, ok := made[token]
		if !ok || o.Type == "app/Forgetful" || slices.ContainsFunc(o.Effects, func(e sexton.StoredEffect) bool { return e.Op == "outside.make" }) {
			continue
		}
		for _, p := range o.Entry.Properties {
			if p.Name == "made" {
				require.Equal(t, what, fmt.Sprintf(`{"size":%v}`, p.Value), "P1: what %s made is not known: %s", o.ID, text())
			}
		}
	}
}

// order checks at the crash that what had to go first has gone durably (P3).
func (w *world) order(t *testing.T, s *situation, f *found, text func() string) {
	t.Helper()
	if settings := s.workload.settings; s.workload.name == "cycles" || settings.OnDestroyError != "" || settings.Resurrection != "" {
		return // the order is another
	}
	begun := map[string]bool{}
	for _, l := range s.ledger {
		if l.verb == "destroy" {
			begun[l.token] = true
		}
	}
	for token, o := range f.tokens {
		for _, other := range f.tokens {
			first := other.Owner == o.ID
			for _, sub := range other.Entry.Subscriptions {
				first = first || sub.Subscriber == o.ID
			}
			if first && other.State != "live" {
				require.False(t, begun[token], "P3: destroy() of %s began before that of %s had ended: %s", o.ID, other.ID, text())
			}
		}
	}
}

// judge checks what the next deployment has done against what it found.
func (w *world) judge(t *testing.T, s *situation, f *found, again []line, text func() string) {
	t.Helper()
	known := map[string]bool{}
	for _, l := range s.ledger {
		known[l.token] = true
	}
	kept := map[string]bool{} // tokens of what the model holds, and held
	s.workload.steps[s.step].each(func(o object, _ string) {
		stored, ok := f.tokens[f.ids[o.id]]
		if class := o.class; ok && stored.State == "live" && (stored.Type == "app/Node" && class == "" || stored.Type == "app/"+class) {
			kept[f.ids[o.id]] = true
		}
	})
	attempted := map[string]bool{}
	for _, l := range again {
		stored, present := f.tokens[l.token]
		switch l.verb {
		case "destroy":
			require.False(t, kept[l.token], "P2: %s is held by the model and destroyed: %s", l.id, text())
			require.True(t, present || !known[l.token], "P5: %s is recorded as destroyed and destroyed again: %s", l.id, text())
			if token, ok := f.ids[l.id]; ok && !attempted[l.id] {
				require.Equal(t, token, l.token, "P5: %s has another token: %s", l.id, text())
			}
			attempted[l.id] = true
		case "told":
			require.False(t, present && stored.Entry.Doomed && stored.Entry.Notified && stored.Failure == "",
				"P4: subscribers of %s were told: %s", l.id, text())
		case "live", "recover", "make":
			require.True(t, present || !known[l.token], "P9: %s is recorded as destroyed and lives: %s", l.id, text())
		}
	}
}

// life checks the ledger of everything, in order.
func (w *world) life(t *testing.T, s *situation, all []line, text func() string) {
	t.Helper()
	begun := map[string]bool{}
	for _, l := range all {
		switch l.verb {
		case "destroy":
			begun[l.token] = true
		case "live", "make":
			require.False(t, begun[l.token], "P9: %s lives after its destroy() began: %s", l.id, text())
		case "told":
			require.False(t, begun[l.token], "P4: subscribers of %s are told after its destroy() began: %s", l.id, text())
		}
	}
	for _, l := range all {
		if l.verb == "told" && s.workload.settings.Resurrection != "spare" {
			require.True(t, begun[l.token], "P4: subscribers were told of %s, which is not destroyed: %s", l.id, text())
		}
	}
}
