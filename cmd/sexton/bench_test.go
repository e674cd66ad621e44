package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// BenchmarkStartup runs a script of one line with `sexton run`, its bundle kept and not, and with a program that
// consists of goja alone. The metrics are the shortest times seen; over-ms is by how much `sexton run` exceeds
// 1.5 times that of goja, in milliseconds.
func BenchmarkStartup(b *testing.B) {
	dir := b.TempDir()
	for name, source := range map[string]string{"sexton": ".", "bare": "./testdata/bare"} {
		out, err := exec.Command("go", "build", "-o", filepath.Join(dir, name), source).CombinedOutput()
		require.NoError(b, err, string(out))
	}
	script := func(name, text string) string {
		file := filepath.Join(dir, name)
		hour := time.Now().Add(-time.Hour)
		require.NoError(b, os.WriteFile(file, []byte(text), 0o600))
		require.NoError(b, os.Chtimes(file, hour, hour))
		require.NoError(b, os.Chtimes(dir, hour, hour))
		return file
	}
	bareScript, sextonScript := script("bare.js", `print("hi")`), script("sexton.js", `console.log("hi")`)
	cache := filepath.Join(b.TempDir(), "cache")
	shortest := map[string]time.Duration{}
	run := func(what, cache, program string, args ...string) {
		cmd := exec.Command(filepath.Join(dir, program), args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "SEXTON_CACHE="+cache)
		began := time.Now()
		out, err := cmd.CombinedOutput()
		took := time.Since(began)
		require.NoError(b, err, string(out))
		require.Equal(b, "hi\n", string(out))
		if before, ok := shortest[what]; !ok || took < before {
			shortest[what] = took
		}
	}
	for b.Loop() {
		run("bare", "off", "bare", bareScript)
		run("cold", "off", "sexton", "run", sextonScript)
		run("warm", cache, "sexton", "run", sextonScript)
	}
	for what, took := range shortest {
		b.ReportMetric(float64(took.Microseconds())/1000, what+"-ms")
	}
	b.ReportMetric(float64((shortest["warm"]-shortest["bare"]*3/2).Microseconds())/1000, "over-ms")
}
