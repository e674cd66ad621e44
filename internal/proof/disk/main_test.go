package disk

import (
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/sextongc/sexton"
)

var (
	long = flag.Duration("for", 0, "how long T3, T4 and T7, side by side, go on with what is random")
	seed = flag.Uint64("seed", 1, "of what is random")
)

// TestMain makes the test binary a worker, too, for command lines that run in this process.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "worker" {
		if err := sexton.Worker(os.Stdin, os.Stdout, nil); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	flag.Parse()
	debug.SetGCPercent(400) // many small heaps, one after another
	goleak.VerifyTestMain(m)
}

// figures prints a line for who collects them.
func figures(format string, args ...any) { fmt.Printf("figures: "+format+"\n", args...) }

// goOn reports whether a long variant that began at that time is not over.
func goOn(t *testing.T, began time.Time) bool { return !t.Failed() && time.Since(began) < *long }
