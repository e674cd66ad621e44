package sexton_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton"
)

// gc 5.8: after a cancellation deploy() finishes with the application that it is at, and goes on to none.
func TestCancelledBetweenApplications(t *testing.T) {
	e := newEnv(t, classes)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	e.hook = func(line string) {
		if line == "create a" {
			cancel()
		}
	}
	env, err := sexton.Open(&e.opts)
	require.NoError(t, err)
	_, err = env.Deploy(ctx, t.Context(), &sexton.Model{Data: []byte(`{"?":{"type":"Environment","id":"root"},
		"applications":[{"?":{"type":"Node","id":"a"}},{"?":{"type":"Node","id":"b"}}]}`), File: "model.json"})
	require.ErrorIs(t, err, sexton.ErrInterrupted)
	require.Equal(t, []string{"create a"}, e.log)
}

func TestNilModel(t *testing.T) {
	env, err := sexton.Open(&sexton.Options{Dir: t.TempDir()})
	require.NoError(t, err)
	_, err = env.Deploy(t.Context(), t.Context(), nil)
	require.ErrorContains(t, err, "the model is nil")
	_, err = env.Plan(t.Context(), nil)
	require.ErrorContains(t, err, "the model is nil")
}
