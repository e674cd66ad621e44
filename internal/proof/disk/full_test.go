package disk

import (
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/internal/state"
	"github.com/sextongc/sexton/internal/state/simdisk"
)

// P16; T4. The disk is full after any number of bytes: the deployment says so, nothing that was there is lost, and
// it goes on once there is room.
func TestT4FullDisk(t *testing.T) {
	wl := &workload{name: "full disk", steps: []step{
		model(n("a", owns(n("b"))), n("c", after("a")), n("w", wants(2))),
		model(n("a", sized(1)), n("c"), n("d")),
	}}
	w := newWorld(t, wl.settings)
	disk := simdisk.New()
	var ledger []line
	full, stride := 0, int64(433)
	if *long > 0 {
		t.Parallel()
		stride = 7
	}
	for i, s := range wl.steps {
		seen := map[string]bool{}
		for space := used(t, disk); ; space += stride {
			tight := disk.Clone()
			tight.Space = max(1, space)
			lines, _, err := w.deploy(t, tight, s)
			if err == nil {
				break
			}
			full++
			require.ErrorIs(t, err, syscall.ENOSPC, "%d bytes", space)
			require.ErrorContains(t, err, "write "+stateDir+"/", "%d bytes", space)
			require.LessOrEqual(t, strings.Count(err.Error(), "no space left"), 2, "it is said again and again: %v", err)
			tight.Space = 0
			_, found, err := read(tight, true)
			require.NoError(t, err)
			if key := string(found[:]); !seen[key] {
				seen[key] = true
				w.verify(t, &situation{workload: wl, step: i, disk: tight, ledger: append(slices.Clip(ledger), lines...), history: i, text: "full"})
			}
		}
		lines, _, err := w.deploy(t, disk, s)
		require.NoError(t, err)
		ledger = append(ledger, lines...)
	}
	require.Greater(t, full, 20)
}

// used is how many bytes the files of a state have.
func used(t *testing.T, disk *simdisk.Disk) (n int64) {
	t.Helper()
	all, err := disk.ReadDir(stateDir)
	if err != nil {
		return 0
	}
	for _, name := range all {
		n += int64(len(fileOf(t, disk, name)))
	}
	return n
}

// T4. On a read-only file system everything can be looked at, and a deployment says what it cannot write.
func TestT4ReadOnly(t *testing.T) {
	w := newWorld(t, sexton.Settings{})
	disk := simdisk.New()
	first := model(n("a"), n("b", after("a")))
	_, _, err := w.deploy(t, disk, first)
	require.NoError(t, err)
	readOnly := func(_ int, op simdisk.Op) error {
		if op.Kind == simdisk.Read || op.Kind == simdisk.Close {
			return nil
		}
		return syscall.EROFS
	}
	disk.Hook = readOnly
	operations := disk.Operations()

	env := on(t, w.opts, disk)
	snapshot, err := env.Snapshot()
	require.NoError(t, err)
	require.Contains(t, string(snapshot), `"b"`)
	info, err := env.State()
	require.NoError(t, err)
	require.Len(t, info.Objects, 3)
	found, err := env.Check()
	require.NoError(t, err)
	require.Empty(t, found)
	history, err := env.History(-1)
	require.NoError(t, err)
	require.Len(t, history, 1)
	plan, err := env.Plan(t.Context(), &sexton.Model{Data: []byte(model(n("a"), n("c")).json())})
	require.NoError(t, err)
	require.Len(t, plan.Create, 1)

	lines, report, err := w.deploy(t, disk, model(n("c")))
	require.ErrorIs(t, err, syscall.EROFS)
	require.ErrorContains(t, err, stateDir)
	require.Nil(t, report)
	require.Empty(t, lines)
	_, _, err = w.deploy(t, disk, step{})
	require.ErrorIs(t, err, syscall.EROFS)
	require.Equal(t, operations, disk.Operations())

	fresh := simdisk.New()
	fresh.Hook = readOnly
	_, _, err = w.deploy(t, fresh, first)
	require.ErrorIs(t, err, syscall.EROFS)
	empty, err := on(t, w.opts, fresh).State()
	require.NoError(t, err)
	require.Empty(t, empty.Objects)

	disk.Hook = nil
	_, err = state.Open(stateDir, &state.Options{FS: disk})
	require.NoError(t, err, "the lock is not left behind")
}
