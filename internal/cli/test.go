package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/internal/scenario"
)

type testFlags struct {
	pattern   string
	bail      bool
	shuffle   string
	reporters []string
	update    bool
	jobs      int
	coverage  bool
	lcov      string
	watch     bool
	timeout   time.Duration
}

// randomSeed is --shuffle without a value.
const randomSeed = "random"

func (a *app) testCommand() *cobra.Command {
	f := &testFlags{}
	cmd := &cobra.Command{
		Use:   "test [path[:line]...]",
		Short: "runs *.test.js and *.test.ts files",
		Long: `Test runs test files that import "sexton/test": those that are named, and of directories all that are
called *.test.js or *.test.ts; FILE:LINE runs the test or suite that begins at that line, or last before it. Each test has an environment of its own, in memory.`,
		Example: examples(
			"sexton test",
			"sexton test -t 'an item' --bail",
			"sexton test item.test.ts:3 --reporter spec --reporter junit:report.xml",
			"sexton test --shuffle=42 --update",
		),
		RunE: a.verb(func(_ *cobra.Command, args []string) error { return a.test(f, args) }),
	}
	set := cmd.Flags()
	set.StringVarP(&f.pattern, "test", "t", "", "run tests whose full name contains this `pattern`, or matches it if it is a /regexp/")
	set.BoolVar(&f.bail, "bail", false, "stop after the first failure")
	set.StringVar(&f.shuffle, "shuffle", "", "run the tests of each file in random order; a `seed` repeats one")
	set.Lookup("shuffle").NoOptDefVal = randomSeed
	set.BoolVar(&f.watch, "watch", false, "run again what a change of files affects, until Ctrl-C")
	set.StringArrayVar(&f.reporters, "reporter", nil, "how to report, `name[:file]`: "+strings.Join(scenario.ReporterNames(), ", ")+" (default spec; with --json json)")
	set.DurationVar(&f.timeout, "test-timeout", 0, "for a test or hook that has none of its own (default none)")
	set.IntVar(&f.jobs, "jobs", 0, "test files that run at once (default: as many as there are processors)")
	set.BoolVar(&f.coverage, "coverage", false, "tell which lines and functions of the package the tests ran")
	set.StringVar(&f.lcov, "coverage-lcov", "", "write that to a `file`, as tools read it")
	set.BoolVar(&f.update, "update", false, "write the values that assert.snapshot compares with")
	return cmd
}

func (a *app) test(f *testFlags, args []string) error {
	base := a.options()
	e, err := a.open(base)
	if err != nil {
		return err
	}
	base.Dir, base.Console = e.Package().Dir, a.printConsole
	if f.timeout < 0 {
		return usage(fmt.Errorf("--test-timeout=%s: a timeout is not negative", f.timeout))
	}
	if f.jobs < 0 {
		return usage(fmt.Errorf("--jobs=%d: want at least 1", f.jobs))
	}
	opts := &scenario.Options{Options: *base, Update: f.update, Jobs: f.jobs, Coverage: f.coverage || f.lcov != ""}
	opts.Pattern, opts.Bail, opts.RunOptions.Timeout = f.pattern, f.bail, f.timeout
	opts.Settings.Timeout = cmp.Or(base.Settings.Timeout, e.Package().Settings.Timeout)
	places := make([]scenario.Place, len(args))
	for i, arg := range args {
		places[i] = a.place(arg)
	}
	find := func() (files []string, err error) {
		files, opts.FileLines, err = scenario.Find(base.Dir, places)
		return files, err
	}
	if opts.Files, err = find(); err != nil {
		return usage(err)
	}
	ctx, _, stop := a.interruptible(func(text string) { a.log("note", text) }, "interrupted")
	defer stop()
	if f.watch {
		return a.watchTests(ctx, f, opts, find)
	}
	if len(opts.Files) == 0 {
		return usage(errors.New("there are no test files: their names end in .test.js or .test.ts"))
	}
	_, err = a.runTests(ctx, f, opts)
	return err
}

// place understands PATH and FILE:LINE.
func (a *app) place(arg string) scenario.Place {
	path := a.path(arg)
	if _, err := os.Stat(path); err != nil {
		if at := strings.LastIndexByte(arg, ':'); at > 0 {
			if line, err := strconv.Atoi(arg[at+1:]); err == nil && line > 0 {
				return scenario.Place{Path: a.path(arg[:at]), Line: line}
			}
		}
	}
	return scenario.Place{Path: path}
}

// runTests runs opts.Files once.
func (a *app) runTests(ctx context.Context, f *testFlags, opts *scenario.Options) (summary *scenario.Summary, err error) {
	if opts.RunOptions.Seed, err = a.seed(f.shuffle); err != nil {
		return nil, usage(err)
	}
	opts.Reporters = nil
	closeReporters, err := a.reporters(opts, f.reporters)
	if err != nil {
		return nil, errors.Join(err, closeReporters(&scenario.Summary{}))
	}
	if limit := opts.Settings.Timeout; limit > 0 {
		var cancel func()
		ctx, cancel = context.WithTimeoutCause(ctx, limit, &sexton.TimeoutError{Limit: limit, During: "tests"})
		defer cancel()
	}
	summary, err = scenario.Run(ctx, opts)
	if summary == nil {
		summary = &scenario.Summary{}
	}
	if f.lcov != "" {
		err = errors.Join(err, os.WriteFile(a.path(f.lcov), scenario.LCOV(summary.Coverage), 0o666))
	}
	err = errors.Join(err, closeReporters(summary))
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if a.asks && slices.ContainsFunc(summary.Failed, func(e *scenario.Event) bool {
		return e.Error != nil && strings.Contains(e.Error.Title(), "PermissionDenied")
	}) {
		a.log("note", allowPackage)
	}
	if err == nil && !summary.OK() {
		err = &shownError{errTests}
	}
	return summary, err
}

// seed reads the value of --shuffle.
func (a *app) seed(value string) (*uint32, error) {
	if value == "" {
		return nil, nil
	}
	seed := uint32(a.Now().UnixNano())
	if value == randomSeed {
		a.log("note", fmt.Sprintf("shuffled: --shuffle=%d repeats this order", seed))
		return &seed, nil
	}
	n, err := strconv.ParseUint(value, 10, 32)
	if err != nil {
		return nil, fmt.Errorf("--shuffle=%s: want a number below 2^32", value)
	}
	seed = uint32(n)
	return &seed, nil
}

// reporters adds the reporters that flags name to opts. The result ends them, and closes their files.
func (a *app) reporters(opts *scenario.Options, flags []string) (func(*scenario.Summary) error, error) {
	if len(flags) == 0 {
		flags = []string{"spec"}
		if a.flags.json {
			flags = []string{"json"}
		}
	}
	var files []*os.File
	end := func(s *scenario.Summary) error {
		var errs []error
		for _, r := range opts.Reporters {
			errs = append(errs, r.Close(s))
		}
		for _, f := range files {
			errs = append(errs, f.Close())
		}
		return errors.Join(errs...)
	}
	for _, flag := range flags {
		name, file, toFile := strings.Cut(flag, ":")
		w, style := a.Stdout, a.style()
		if toFile {
			f, err := os.Create(a.path(file))
			if err != nil {
				return end, usage(fmt.Errorf("--reporter=%s: %w", flag, err))
			}
			files = append(files, f)
			w, style.Color = f, false
		}
		r, err := scenario.NewReporter(name, w, &scenario.ReporterOptions{Color: style.Color, Dir: opts.Dir})
		if err != nil {
			return end, usage(fmt.Errorf("--reporter=%s: %w", flag, err))
		}
		opts.Reporters = append(opts.Reporters, r)
	}
	return end, nil
}
