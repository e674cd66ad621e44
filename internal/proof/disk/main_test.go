package disk

import (
	"flag"
	"fmt"
	"runtime/debug"
	"testing"
	"time"

	"go.uber.org/goleak"
)

var (
	long = flag.Duration("for", 0, "how long T3, T4 and T7, side by side, go on with what is random")
	seed = flag.Uint64("seed", 1, "of what is random")
)

func TestMain(m *testing.M) {
	flag.Parse()
	debug.SetGCPercent(400) // many small heaps, one after another
	goleak.VerifyTestMain(m)
}

// figures prints a line for who collects them.
func figures(format string, args ...any) { fmt.Printf("figures: "+format+"\n", args...) }

// goOn reports whether a long variant that began at that time is not over.
func goOn(t *testing.T, began time.Time) bool { return !t.Failed() && time.Since(began) < *long }
