package sexton

import (
	"path/filepath"

	"github.com/sextongc/sexton/internal/effect"
	"github.com/sextongc/sexton/runtime"
)

// PermissionUse is one time that a script exercised a permission, or was refused one: Op is the operation, Object the id
// of the object that it was for, Kind the list of Permissions, Asked what it was about. Grant is the entry that
// allowed it, empty if none did; Needed the entry that allows this and no more.
type PermissionUse = effect.Use

// Audit says what became of the permissions of a deployment: how often each entry was exercised, what was refused, and
// which permissions would have been enough.
type Audit = effect.Audit

// AuditEntry is about one entry of Permissions, or one thing that was refused.
type AuditEntry = effect.AuditEntry

// stateFolder has the state directories of a package's environments, unless Options.State says otherwise.
const stateFolder = ".sexton"

// performer returns what performs the effects of scripts of p. No permission covers the state of environments and
// the key of their secrets.
func (o *Options) performer(p *Package) (*effect.Performer, error) {
	state, err := filepath.Abs(o.stateDir(p))
	if err != nil {
		return nil, err
	}
	key, err := filepath.Abs(o.keyFile(state))
	if err != nil {
		return nil, err
	}
	limits := o.settings(p).Limits
	opts := &effect.PerformerOptions{
		MaxProcesses: limits.Processes, MaxFiles: limits.Files,
		Dir: p.Dir, Permissions: o.permissions(p), Operations: runtime.Performers(o.Extensions),
		Private: []string{filepath.Join(p.Dir, stateFolder), state, key},
	}
	if o.Audit != nil {
		opts.Audit = func(u *effect.Use) { o.Audit(*u) }
	}
	return effect.NewPerformer(opts)
}

// HistoryPermission is what the history keeps of an AuditEntry.
type HistoryPermission struct {
	Kind  string `json:"kind"`
	Grant string `json:"grant,omitempty"` // empty: it was refused
	Asked string `json:"asked,omitempty"` // what was refused
	Count int    `json:"count"`
}

// mostHistoryPermissions bounds them in one record; what was refused comes last.
const mostHistoryPermissions = 100

func historyPermissions(a *Audit) []HistoryPermission {
	var out []HistoryPermission
	for _, e := range a.Entries[:min(len(a.Entries), mostHistoryPermissions)] {
		out = append(out, HistoryPermission{Kind: e.Kind, Grant: bounded(e.Grant), Asked: bounded(e.Asked), Count: e.Count})
	}
	return out
}
