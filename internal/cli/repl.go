package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/peterh/liner"
	"github.com/spf13/cobra"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/internal/render"
)

func (a *app) replCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "repl [FILE...]",
		Short: "evaluates what you type, in a throwaway environment",
		Long: `Repl evaluates TypeScript, line by line, in an environment that is in memory only. Top-level await works;
variables, functions and classes stay, and may be declared anew. Exports of "sexton", of the package's main module and of
the files named are globals. .help lists commands that show the collector's view. At the end what is left is destroyed
in order. Without a terminal, what is typed comes from standard input.

The package is the nearest directory with a package.json, from the working directory upwards, unless --dir names it.`,
		Example: examples(
			`sexton repl`,
			`sexton repl script.ts --allow-read=.`,
		),
		RunE: a.verb(func(_ *cobra.Command, args []string) error {
			files := make([]string, len(args))
			for i, file := range args {
				files[i] = a.path(file)
			}
			return a.repl(files)
		}),
	}
}

func (a *app) repl(files []string) error {
	opts := a.options()
	if a.flags.dir == "" {
		opts.Dir = nearestPackage(a.Dir)
	}
	if _, err := a.open(opts); err != nil {
		return err
	}
	p := a.newProgress("repl", "repl")
	defer p.stop()
	opts.Observe, opts.Console, opts.Audit = p.observe, p.console, p.used
	t := a.newTypist()
	defer t.close()
	ctx, kill, stop := a.converse(t, p)
	defer stop()
	talk := &sexton.Conversation{Next: t.next, Interrupts: t.interrupts}
	report, err := sexton.Run(ctx, kill, opts, &sexton.Script{With: talk, Files: files, ExposeGC: true})
	stop()
	return p.end(report, err)
}

// converse returns contexts that signals cancel, as interruptible does. On a terminal the first Ctrl-C ends only what
// is evaluated; one that comes while that has not ended yet is the first of the others.
func (a *app) converse(t *typist, p *progress) (ctx, kill context.Context, stop func()) {
	if t.line == nil {
		return a.interruptible(p.note, interruptsScript)
	}
	direct, signals := a.Signals, make(chan os.Signal)
	done := make(chan struct{})
	go func() {
		for {
			select {
			case s := <-direct:
				if s == os.Interrupt && !t.interrupted.Swap(true) {
					select {
					case t.interrupts <- struct{}{}:
					default: // one waits there already
					}
					continue
				}
				select {
				case signals <- s:
				case <-done:
					return
				}
			case <-done:
				return
			}
		}
	}()
	a.Signals = signals
	ctx, kill, ended := a.interruptible(p.note, interruptsScript)
	return ctx, kill, sync.OnceFunc(func() {
		ended()
		close(done)
		a.Signals = direct
	})
}

// typist has somebody type: a terminal with history and completion, or standard input.
type typist struct {
	app         *app
	line        *liner.State // nil: no terminal
	turns       chan *sexton.Turn
	typed       chan *sexton.Typed
	interrupts  chan struct{}
	interrupted atomic.Bool // what is evaluated was interrupted
	began       bool
	aborts      int // Ctrl-C at the prompt, in a row
}

func (a *app) newTypist() *typist {
	t := &typist{app: a, turns: make(chan *sexton.Turn), typed: make(chan *sexton.Typed), interrupts: make(chan struct{}, 1)}
	if a.StdinTerminal && a.StdoutTerminal && !a.flags.json {
		t.line = liner.NewLiner()
		t.line.SetCtrlCAborts(true)
		t.line.SetTabCompletionStyle(liner.TabPrints)
		t.line.SetWordCompleter(t.complete)
		if history, err := os.ReadFile(historyFile()); err == nil {
			_, _ = t.line.ReadHistory(bytes.NewReader(history))
		}
	}
	return t
}

// historyFile is where lines are kept between sessions; empty: nowhere.
func historyFile() string {
	dir, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "sexton", "repl_history")
}

// close gives the terminal back. A line that is being typed is left behind with its goroutine: a read cannot be cancelled.
func (t *typist) close() {
	if t.line == nil {
		return
	}
	if file := historyFile(); file != "" && os.MkdirAll(filepath.Dir(file), 0o700) == nil {
		var history bytes.Buffer
		if _, err := t.line.WriteHistory(&history); err == nil {
			_ = os.WriteFile(file, history.Bytes(), 0o600) // the next session has no history, then
		}
	}
	_ = t.line.Close()
}

// next is sexton.Conversation.Next.
func (t *typist) next(ctx context.Context, turn *sexton.Turn) *sexton.Typed {
	t.interrupted.Store(false)
	if !t.began {
		t.began = true
		go t.serve()
	}
	select {
	case t.turns <- turn:
	case <-ctx.Done():
		return &sexton.Typed{Kind: sexton.TypedLeave}
	}
	select {
	case typed := <-t.typed:
		return typed
	case <-ctx.Done():
		return &sexton.Typed{Kind: sexton.TypedLeave}
	}
}

func (t *typist) serve() {
	for turn := range t.turns {
		if turn.Err != nil {
			t.app.showError(turn.Err)
		}
		t.typed <- t.read(turn.More)
	}
}

func (t *typist) read(more bool) *sexton.Typed {
	if t.line == nil {
		line, err := t.app.stdin.ReadString('\n')
		if err != nil && line == "" {
			return &sexton.Typed{Kind: sexton.TypedEnd}
		}
		return &sexton.Typed{Kind: sexton.TypedLine, Text: strings.TrimRight(line, "\r\n")}
	}
	prompt := "> "
	if more {
		prompt = "… "
	}
	line, err := t.line.Prompt(prompt)
	switch {
	case errors.Is(err, liner.ErrPromptAborted):
		if t.aborts++; t.aborts > 1 && !more {
			t.app.log("note", ".exit or Ctrl-D ends this")
		}
		return &sexton.Typed{Kind: sexton.TypedAbort}
	case err != nil:
		if errors.Is(err, io.EOF) {
			_, _ = io.WriteString(t.app.Stdout, "\n")
		}
		return &sexton.Typed{Kind: sexton.TypedLeave}
	}
	t.aborts = 0
	if strings.TrimSpace(line) != "" {
		t.line.AppendHistory(line)
	}
	return &sexton.Typed{Kind: sexton.TypedLine, Text: line}
}

// complete asks the other side while somebody types.
func (t *typist) complete(line string, pos int) (head string, completions []string, tail string) {
	runes := []rune(line)
	text := string(runes[:pos])
	t.typed <- &sexton.Typed{Kind: sexton.TypedTab, Text: text}
	turn := <-t.turns
	if turn.Err != nil {
		t.app.showError(turn.Err)
	}
	from := min(max(turn.From, 0), len(text))
	for _, name := range turn.Completions {
		completions = append(completions, render.Clean(name))
	}
	return text[:from], completions, string(runes[pos:])
}
