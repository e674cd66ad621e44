package effect

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Use is one time that a permission was exercised, or refused.
type Use struct {
	Op     string `json:"op"`               // "fs.readFile"
	Object string `json:"object,omitempty"` // id of the object that it was for; empty: the root
	Kind   string `json:"kind"`             // "run", "read", "write", "net", "env"
	Asked  string `json:"asked"`            // what for: a program, a path, HOST:PORT, a variable
	Grant  string `json:"grant,omitempty"`  // the entry that allowed it; empty: it was refused
	Needed string `json:"needed,omitempty"` // the entry that allows this and no more; empty: none does
}

// AuditEntry says how often a permission was exercised, or the same was refused.
type AuditEntry struct {
	Kind    string   `json:"kind"`
	Grant   string   `json:"grant,omitempty"`  // the entry that allowed it; empty: it was refused
	Asked   string   `json:"asked,omitempty"`  // if refused: what for
	Needed  string   `json:"needed,omitempty"` // if refused: the entry that would allow it; empty: none does
	Count   int      `json:"count"`
	Ops     []string `json:"ops"`               // sorted
	Objects []string `json:"objects,omitempty"` // the first few ids, sorted
}

// Audit is what became of the permissions of a deployment. Its lists are sorted.
type Audit struct {
	Entries []AuditEntry `json:"entries"`
	// Used is the least that allows what was allowed; Refused what would allow the rest.
	Used    Permissions `json:"used"`
	Refused Permissions `json:"refused"`
}

// Bounds of an audit: a script may ask for anything, any number of times.
const (
	maxAuditRefusals = 1000 // different ones; the rest counts with the last
	maxAuditObjects  = 10   // per entry
	maxAuditNeeded   = 1000 // entries per kind; with more, the grants that allowed them stand for them
)

// Ledger adds up uses. The zero value is empty. It is safe for concurrent use.
type Ledger struct {
	mu       sync.Mutex
	entries  map[auditKey]*tally
	refusals int
	used     needs
	refused  needs
}

type auditKey struct{ kind, grant, asked string }

type tally struct {
	needed       string
	count        int
	ops, objects map[string]bool
}

// needs are entries by kind.
type needs map[string]map[string]bool

func (n *needs) add(kind, entry string) {
	if *n == nil {
		*n = needs{}
	}
	if (*n)[kind] == nil {
		(*n)[kind] = map[string]bool{}
	}
	if len((*n)[kind]) <= maxAuditNeeded {
		(*n)[kind][entry] = true
	}
}

// Note adds a use.
func (l *Ledger) Note(u *Use) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.entries == nil {
		l.entries = map[auditKey]*tally{}
	}
	key := auditKey{u.Kind, u.Grant, ""}
	if u.Grant == "" {
		key.asked = u.Asked
	}
	t := l.entries[key]
	if t == nil && u.Grant == "" {
		if l.refusals++; l.refusals > maxAuditRefusals {
			key = auditKey{kind: u.Kind, asked: "and more"}
			t = l.entries[key]
		}
	}
	if t == nil {
		t = &tally{ops: map[string]bool{}, objects: map[string]bool{}}
		l.entries[key] = t
		if u.Grant == "" && key.asked == u.Asked {
			t.needed = u.Needed
		}
	}
	t.count++
	t.ops[u.Op] = true
	if u.Object != "" && len(t.objects) < maxAuditObjects {
		t.objects[u.Object] = true
	}
	switch {
	case u.Needed == "":
	case u.Grant == "":
		l.refused.add(u.Kind, u.Needed)
	default:
		l.used.add(u.Kind, u.Needed)
	}
}

// Audit returns what was added up so far.
func (l *Ledger) Audit() *Audit {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := &Audit{Entries: []AuditEntry{}}
	grants := map[string][]string{}
	for key, t := range l.entries {
		a.Entries = append(a.Entries, AuditEntry{
			Kind: key.kind, Grant: key.grant, Asked: key.asked, Needed: t.needed, Count: t.count,
			Ops: slices.Sorted(maps.Keys(t.ops)), Objects: slices.Sorted(maps.Keys(t.objects)),
		})
		if key.grant != "" {
			grants[key.kind] = append(grants[key.kind], key.grant)
		}
	}
	kinds := Kinds()
	slices.SortFunc(a.Entries, func(x, y AuditEntry) int {
		return cmp.Or(refusedLast(&x)-refusedLast(&y), slices.Index(kinds, x.Kind)-slices.Index(kinds, y.Kind),
			cmp.Compare(x.Grant, y.Grant), cmp.Compare(x.Asked, y.Asked))
	})
	for _, kind := range kinds {
		used := slices.Sorted(maps.Keys(l.used[kind]))
		if len(used) > maxAuditNeeded {
			used = slices.Sorted(slices.Values(grants[kind]))
		}
		*a.Used.List(kind) = minimal(kind, used)
		*a.Refused.List(kind) = minimal(kind, slices.Sorted(maps.Keys(l.refused[kind])))
	}
	return a
}

func refusedLast(e *AuditEntry) int {
	if e.Grant == "" {
		return 1
	}
	return 0
}

// minimal leaves out entries that others cover.
func minimal(kind string, entries []string) []string {
	if slices.Contains(entries, Everything) {
		return []string{Everything}
	}
	if kind != "read" && kind != "write" {
		return entries
	}
	var kept []string
	for _, e := range entries {
		if !slices.ContainsFunc(entries, func(other string) bool { return other != e && covers(other, e) }) {
			kept = append(kept, e)
		}
	}
	return kept
}

// covers reports whether the entry of a directory grants that of a file, as they are written.
func covers(dir, file string) bool {
	rel, err := filepath.Rel(filepath.FromSlash(dir), filepath.FromSlash(file))
	return err == nil && filepath.IsLocal(rel)
}

// Flags writes permissions as flags, for a shell.
func (p *Permissions) Flags() []string {
	var flags []string
	for _, kind := range Kinds() {
		var entries []string
		for _, entry := range *p.List(kind) {
			entries = append(entries, escapeEntry(entry))
		}
		if len(entries) > 0 {
			flags = append(flags, "--allow-"+kind+"="+quote(strings.Join(entries, ",")))
		}
	}
	return flags
}
