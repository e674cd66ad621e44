package cli

import (
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/term"
)

// State is what a command line sees of the outside.
type State struct {
	Args           []string // without the program's name
	LookupEnv      func(name string) (value string, ok bool)
	Dir            string // the working directory, absolute
	Cache          string // the directory where bundles are kept; empty: nowhere
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// StdinTerminal and StdoutTerminal: somebody sits there.
	StdinTerminal, StdoutTerminal bool
	Width                         int // of the terminal, in characters
	Now                           func() time.Time
	// Tick returns a channel on which the time is sent every d, until stop is called.
	Tick func(d time.Duration) (ticks <-chan time.Time, stop func())
	// Signals receives interrupts: Ctrl-C, SIGTERM, and SIGHUP unless it was ignored before. After the second one Release is called, so that a third has the
	// effect that the operating system gives it.
	Signals <-chan os.Signal
	Release func()
}

// Process is the State of this process. It catches interrupts from now on.
func Process() (*State, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // as nohup wants it
		signal.Notify(signals, syscall.SIGHUP)
	}
	s := &State{
		Args: os.Args[1:], LookupEnv: os.LookupEnv, Dir: dir,
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		StdinTerminal: isTerminal(os.Stdin), StdoutTerminal: isTerminal(os.Stdout),
		Width: 80, Now: time.Now,
		Tick: func(d time.Duration) (<-chan time.Time, func()) {
			t := time.NewTicker(d)
			return t.C, t.Stop
		},
		Signals: signals, Release: func() { signal.Stop(signals) },
	}
	if dir, err := os.UserCacheDir(); err == nil {
		s.Cache = filepath.Join(dir, "sexton")
	}
	if width, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil && width > 0 {
		s.Width = width
	}
	return s, nil
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb" }
