package effect

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Each check is told, with the entry that decided, and the one that would have been enough.
func TestAudit(t *testing.T) {
	t.Setenv("SEXTON_TEST_A", "1")
	var uses []Use
	p := newPerformer(t, &PerformerOptions{
		Permissions: &Permissions{Run: []string{self(t)}, Read: []string{"."}, Write: []string{"out", "tmp"}, Env: []string{"SEXTON_TEST_A", "OTHER"}},
		Private:     []string{".sexton"},
		Audit:       func(u *Use) { uses = append(uses, *u) },
	})
	require.NoError(t, os.Symlink("out", filepath.Join(p.Dir, "alias")))
	perform := func(object, op string, args any) []Use {
		uses = nil
		data, err := json.Marshal(args)
		require.NoError(t, err)
		p.Do(t.Context(), &Request{Op: op, Object: object, Args: data})
		return uses
	}
	shown := filepath.ToSlash(self(t))
	require.Equal(t, []Use{{"fs.mkdir", "o1", "write", "out", "out", "out"}}, perform("o1", "fs.mkdir", object{"path": "out"}))
	require.Equal(t, []Use{{"fs.writeFile", "o1", "write", "alias/a", "out", "out/a"}}, perform("o1", "fs.writeFile", object{"path": "alias/a", "data": ""}))
	require.Equal(t, []Use{{"fs.readFile", "o2", "read", "out/a", ".", "out/a"}}, perform("o2", "fs.readFile", object{"path": "out/a"}))
	require.Equal(t, []Use{{"fs.writeFile", "", "write", "b", "", "b"}}, perform("", "fs.writeFile", object{"path": "b", "data": ""}))
	require.Equal(t, []Use{{"fs.writeFile", "", "write", ".sexton/b", "", ""}}, perform("", "fs.writeFile", object{"path": ".sexton/b", "data": ""}))
	require.Equal(t, []Use{{"fs.rename", "", "read", "out/a", ".", "out/a"}, {"fs.rename", "", "write", "out/a", "out", "out/a"}, {"fs.rename", "", "write", "out/b", "out", "out/b"}},
		perform("", "fs.rename", object{"from": "out/a", "to": "out/b"}))
	require.Equal(t, []Use{{"process.env", "", "env", "OTHER", "OTHER", "OTHER"}}, perform("", "process.env", object{"name": "OTHER"}))
	require.Equal(t, []Use{{"process.env", "", "env", "PATH", "", "PATH"}}, perform("", "process.env", object{"name": "PATH"}))
	require.Equal(t, []Use{{"process.exec", "", "run", self(t), self(t), shown}, {"process.exec", "", "env", "SEXTON_TEST_A", "SEXTON_TEST_A", "SEXTON_TEST_A"}},
		perform("", "process.exec", object{"command": self(t), "args": []string{"helper", "raw"}}))
	require.Equal(t, []Use{{"process.exec", "", "run", "nothing", "", "nothing"}}, perform("", "process.exec", object{"command": "nothing"}))
	require.Equal(t, []Use{{"net.get", "", "net", "a.test:80", "", "a.test:80"}}, perform("", "net.get", object{"url": "http://a.test/"}))
	require.Equal(t, []Use{{"process.alive", "", "run", "look at process 1", self(t), self(t)}}, perform("", "process.alive", object{"pid": 1, "startTime": "x"}))

	audit := p.Audit()
	require.Equal(t, Permissions{Run: []string{self(t)}, Read: []string{"out/a"}, Write: []string{"out"}, Env: []string{"OTHER", "SEXTON_TEST_A"}}, audit.Used)
	require.Equal(t, Permissions{Run: []string{"nothing"}, Write: []string{"b"}, Net: []string{"a.test:80"}, Env: []string{"PATH"}}, audit.Refused)
	require.Equal(t, []string{"--allow-run=nothing", "--allow-write=b", "--allow-net=a.test:80", "--allow-env=PATH"}, audit.Refused.Flags())
	require.Contains(t, audit.Entries, AuditEntry{Kind: "write", Grant: "out", Count: 4, Ops: []string{"fs.mkdir", "fs.rename", "fs.writeFile"}, Objects: []string{"o1"}})
	require.Contains(t, audit.Entries, AuditEntry{Kind: "write", Asked: ".sexton/b", Count: 1, Ops: []string{"fs.writeFile"}})
	require.Contains(t, audit.Entries, AuditEntry{Kind: "net", Asked: "a.test:80", Needed: "a.test:80", Count: 1, Ops: []string{"net.get"}})
	require.Len(t, audit.Entries, 10)
}

func TestFlags(t *testing.T) {
	p := Permissions{Run: []string{"a b", "c,d"}, Read: []string{"*"}, Write: []string{"x", "y"}}
	require.Equal(t, []string{"--allow-run='a b,c,,d'", "--allow-read='*'", "--allow-write=x,y"}, p.Flags())
}

// Whatever scripts ask for, an audit stays small.
func TestAuditIsBounded(t *testing.T) {
	ledger := new(Ledger)
	for i := range 5 * maxAuditRefusals {
		name := fmt.Sprint(i)
		ledger.Note(&Use{Op: "fs.stat", Object: name, Kind: "read", Asked: name, Needed: name})
		ledger.Note(&Use{Op: "fs.writeFile", Object: name, Kind: "write", Asked: name, Grant: "out", Needed: "out/" + name})
	}
	audit := ledger.Audit()
	require.Len(t, audit.Entries, maxAuditRefusals+2)
	require.Equal(t, []string{"out"}, audit.Used.Write)
	require.LessOrEqual(t, len(audit.Refused.Read), maxAuditNeeded+1)
	require.Len(t, audit.Entries[0].Objects, maxAuditObjects)
	last := audit.Entries[len(audit.Entries)-1]
	require.Equal(t, "and more", last.Asked)
	require.Equal(t, 4*maxAuditRefusals, last.Count)
}

func TestMinimal(t *testing.T) {
	require.Equal(t, []string{"a", "ab", "../x", "/y"}, minimal("read", []string{"a", "a/b", "ab", "a/b/c", "../x", "/y", "/y/z"}))
	require.Equal(t, []string{"."}, minimal("write", []string{".", "a", "b/c"}))
	require.Equal(t, []string{"*"}, minimal("run", []string{"*", "a"}))
}
