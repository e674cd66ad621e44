package crash

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"testing"
)

// TestMain is the beginning of three kinds of processes: of the tests, and of the workers and providers that
// these start.
func TestMain(m *testing.M) {
	roles := map[string]func() error{"worker": work, "provider": serveProvider}
	if role := roles[os.Getenv("CRASH_ROLE")]; role != nil {
		if err := role(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	flag.Parse()
	os.Exit(m.Run())
}

// child is a process of this program in another role.
func child(role string, env ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	// They live for a moment: what Go's collector would save is not worth its time.
	cmd.Env = append(append(os.Environ(), "GOGC=off", "GOMEMLIMIT=256MiB", "CRASH_ROLE="+role), env...)
	return cmd
}
