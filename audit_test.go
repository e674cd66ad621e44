package sexton_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton"
)

// What permissions are used for is told at once, in the report, and by the history.
func TestAudit(t *testing.T) {
	e := newEnv(t, script(`async deploy() {
		await writeFile("out.txt", "x");
		await writeFile("other.txt", "x").catch(() => {});
	}`))
	e.opts.Permissions = sexton.Permissions{Write: []string{"out.txt"}}
	var uses []sexton.PermissionUse
	e.opts.Audit = func(u sexton.PermissionUse) { uses = append(uses, u) }
	r := e.must(app)
	require.Len(t, uses, 2)
	require.Equal(t, "out.txt", uses[0].Grant)
	require.NotEmpty(t, uses[0].Object)
	require.Equal(t, sexton.PermissionUse{Op: "fs.writeFile", Object: uses[0].Object, Kind: "write", Asked: "other.txt", Needed: "other.txt"}, uses[1])
	require.Equal(t, &sexton.Audit{
		Entries: []sexton.AuditEntry{
			{Kind: "write", Grant: "out.txt", Count: 1, Ops: []string{"fs.writeFile"}, Objects: []string{uses[0].Object}},
			{Kind: "write", Asked: "other.txt", Needed: "other.txt", Count: 1, Ops: []string{"fs.writeFile"}, Objects: []string{uses[0].Object}},
		},
		Used: sexton.Permissions{Write: []string{"out.txt"}}, Refused: sexton.Permissions{Write: []string{"other.txt"}},
	}, r.Audit)
	history, err := e.open().History(1)
	require.NoError(t, err)
	require.Equal(t, []sexton.HistoryPermission{{Kind: "write", Grant: "out.txt", Count: 1}, {Kind: "write", Asked: "other.txt", Count: 1}}, history[0].Permissions)
}

// P12: scripts reach the state of no environment, wherever it is and whatever is granted.
func TestStateIsOutOfReach(t *testing.T) {
	source := script(`async deploy() {
		for (const path of [".sexton/default/journal", "elsewhere/journal", "link/journal", "elsewhere/../elsewhere/journal"]) {
			for (const f of [() => readFile(path), () => writeFile(path, "x")]) await f().then(() => log(path), (err) => log(err.name));
		}
	}`)
	e := newEnv(t, strings.Replace(source, "{ writeFile }", "{ readFile, writeFile }", 1))
	e.opts.Permissions = sexton.Permissions{Read: []string{"*"}, Write: []string{"*", "."}}
	e.opts.State = filepath.Join(e.dir, "elsewhere")
	require.NoError(t, os.MkdirAll(filepath.Join(e.dir, ".sexton/default"), 0o777))
	require.NoError(t, os.Symlink("elsewhere", filepath.Join(e.dir, "link")))
	_, err := e.deploy(app)
	require.NoError(t, err)
	require.Len(t, e.log, 8)
	for _, line := range e.log {
		require.Equal(t, "PermissionDenied", line)
	}
}
