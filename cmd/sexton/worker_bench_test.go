package main

import (
	"context"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton/internal/pipe"
)

// BenchmarkWorker starts a process for scripts until it answers, and has it killed. The metrics are the shortest
// time and the median until the answer, and the median from the kill to the end.
func BenchmarkWorker(b *testing.B) {
	program := filepath.Join(b.TempDir(), "sexton")
	out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput()
	require.NoError(b, err, string(out))
	var ready, killed []time.Duration
	for b.Loop() {
		cmd := exec.Command(program, "worker")
		w, err := cmd.StdinPipe()
		require.NoError(b, err)
		r, err := cmd.StdoutPipe()
		require.NoError(b, err)
		began := time.Now()
		require.NoError(b, cmd.Start())
		c := pipe.New(r, w, nil)
		served := make(chan error)
		go func() { served <- c.Serve(context.Background()) }()
		_, err = c.Call(context.Background(), &pipe.Message{Kind: '?', Head: []byte("{}")})
		require.NoError(b, err)
		ready = append(ready, time.Since(began))
		began = time.Now()
		require.NoError(b, cmd.Process.Kill())
		require.NoError(b, <-served)
		require.Error(b, cmd.Wait())
		killed = append(killed, time.Since(began))
	}
	slices.Sort(ready)
	slices.Sort(killed)
	b.ReportMetric(float64(ready[0].Microseconds())/1000, "ready-ms")
	b.ReportMetric(float64(ready[len(ready)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(killed[len(killed)/2].Microseconds())/1000, "killed-ms")
}
