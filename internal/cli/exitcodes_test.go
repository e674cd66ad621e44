package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/gcext"
	"github.com/sextongc/sexton/internal/state"
	"github.com/sextongc/sexton/objectstore"
	"github.com/sextongc/sexton/runtime"
	"github.com/sextongc/sexton/serialize"
)

func TestExitCode(t *testing.T) {
	script := &runtime.ScriptError{Message: "x"}
	late := &runtime.ScriptError{Cause: runtime.ErrTimeLimit}
	model := &serialize.Error{File: "model.json", Line: 1, Column: 1}
	corrupt := &state.CorruptError{File: "journal", Offset: -1}
	tests := []struct {
		name string
		err  error
		want int
	}{
		{"nothing", nil, 0},
		{"a full disk", errors.Join(&sexton.PhaseError{Phase: "deploy", Err: script}, fmt.Errorf("journal: %w: no space", state.ErrFailed)), 1},
		{"out of time", errors.Join(&sexton.TimeoutError{}, &sexton.PhaseError{Phase: "deploy", Err: script}), 7},
		{"anything else", fs.ErrPermission, 1},
		{"refused", errRefused, 1},
		{"usage", usage(errors.New("x")), 2},
		{"model", fmt.Errorf("x: %w", model), 2},
		{"changes", &shownError{errChanges}, 3},
		{"script", &sexton.PhaseError{Phase: "deploy", Err: script}, 4},
		{"build", &runtime.BuildError{}, 4},
		{"deadlock", runtime.ErrDeadlock, 4},
		{"what scripts made cannot be saved", &serialize.Error{Msg: "x"}, 4},
		{"a value of the wrong type", &sexton.PhaseError{Phase: "save", Err: errors.Join(&objectstore.ValueError{Path: "x"})}, 4},
		{"tests", errTests, 5},
		{"incomplete", sexton.ErrIncomplete, 6},
		{"broken", &sexton.PhaseError{Phase: "load", Err: fmt.Errorf("%w: x", sexton.ErrBroken)}, 6},
		{"time", late, 7},
		{"depth", &runtime.ScriptError{Cause: runtime.ErrCallStack}, 7},
		{"rounds", &gcext.RoundsError{}, 7},
		{"locked", &state.LockedError{}, 8},
		{"corrupt", corrupt, 9},
		{"newer", state.ErrNewerVersion, 9},
		{"interrupted", &hintedError{sexton.ErrInterrupted, ""}, 130},
		{"cancelled", fmt.Errorf("x: %w", context.Canceled), 130},

		{"corrupt before all", errors.Join(sexton.ErrInterrupted, script, corrupt), 9},
		{"a damaged snapshot has a position, and is no model", fmt.Errorf("%w: %w", sexton.ErrCorrupt, model), 9},
		{"interrupted before what it caused", errors.Join(script, sexton.ErrIncomplete, sexton.ErrInterrupted), 130},
		{"a limit before its script", errors.Join(script, late), 7},
		{"a script before what it left", errors.Join(sexton.ErrIncomplete, script), 4},
		{"incomplete before the disk", errors.Join(fs.ErrPermission, sexton.ErrIncomplete), 6},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { require.Equal(t, tt.want, exitCode(tt.err)) })
	}
}

func TestSplit(t *testing.T) {
	a, b, c := errors.New("a"), errors.New("b"), errors.New("c")
	one := fmt.Errorf("one: %w, %w", a, b) // says something itself
	require.Equal(t, []error{one, b, c}, split(errors.Join(one, errors.Join(b, &shownError{c}))))
	require.Equal(t, []error{a}, split(a))
}
