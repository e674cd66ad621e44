package sexton_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/internal/hook"
	"github.com/sextongc/sexton/internal/state/simdisk"
	"github.com/sextongc/sexton/runtime"
)

// P14: with the time and the random numbers given, the same deployment of the same state does the same
// to the disk, operation by operation, byte by byte.
func TestSameDeploymentSameBytes(t *testing.T) {
	e := newEnv(t, crashClasses)
	on := func(disk *simdisk.Disk, step int) []simdisk.Op {
		opts := e.opts
		opts.Seed, opts.Clock, opts.State = 7, runtime.NewVirtualClock(time.Unix(1e9, 0)), "/state"
		hook.WithFS(&opts, disk)
		e.fails = map[string]bool{crashSteps[step].fails: true}
		environment, err := sexton.Open(&opts)
		require.NoError(t, err)
		before := len(disk.Log())
		ctx := context.Background()
		_, err = environment.Deploy(ctx, ctx, &sexton.Model{Data: []byte(crashSteps[step].model), File: "model.json"})
		if crashSteps[step].fails == "" {
			require.NoError(t, err)
		}
		return slices.DeleteFunc(disk.Log()[before:], func(op simdisk.Op) bool { return op.Kind == simdisk.Lock })
	}
	disk := simdisk.New()
	on(disk, 0) // which gives the environment its id
	for step := range crashSteps[1:] {
		again := disk.Clone()
		operations := on(disk, step)
		require.Greater(t, len(operations), 10)
		require.Equal(t, operations, on(again, step))
	}
}
