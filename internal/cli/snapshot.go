package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/internal/render"
	"github.com/sextongc/sexton/serialize"
)

func (a *app) snapshotCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "snapshot",
		Short: "prints the canonical snapshot of the environment",
		Long: `Snapshot prints what is deployed, as one canonical JSON document. It takes no lock and may run beside
a deployment. A snapshot is a valid model.`,
		Example: examples(
			"sexton snapshot",
			"sexton snapshot --env staging > staging.json",
		),
		Args: cobra.NoArgs,
		RunE: a.showing(func(_ []string, _ *sexton.Environment, info *sexton.StateInfo) error {
			data, err := info.Snapshot()
			if err != nil {
				return err
			}
			_, err = a.Stdout.Write(data)
			return err
		}),
	}
	cmd.AddCommand(a.snapshotSaveCommand(), a.snapshotDiffCommand(), a.snapshotCheckCommand(), a.snapshotExportCommand(), a.snapshotImportCommand())
	for _, c := range cmd.Commands() {
		c.DisableFlagsInUseLine = true
	}
	return cmd
}

func (a *app) snapshotCheckCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "check [file]",
		Short: "verifies a snapshot, or the state of the environment",
		Long: `Check verifies a snapshot file, or an export: its form, its references and its digest. Without a file it
verifies the state of the environment, more thoroughly than a deployment does, and lists all that is wrong.`,
		Example: examples(
			"sexton snapshot check",
			"sexton snapshot check staging.json",
		),
		Args: cobra.MaximumNArgs(1),
		RunE: a.verb(func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return a.checkFile(args[0])
			}
			return a.checkState()
		}),
	}
}

func (a *app) checkFile(name string) error {
	data, err := os.ReadFile(a.path(name))
	if err != nil {
		return usage(err)
	}
	if bytes.HasPrefix(data, []byte(`{"export":`)) {
		same, err := sexton.Compare(data, data)
		if err != nil {
			return fmt.Errorf("%w: %w", errSnapshot, inFile(err, name))
		}
		a.say("%s: %s, all is well", name, render.Count(same.Same, "exported object"))
		return nil
	}
	g, err := serialize.DecodeSnapshot(data)
	if err != nil {
		return fmt.Errorf("%w: %w", errSnapshot, inFile(err, name))
	}
	a.say("%s: %s, all is well", name, render.Count(len(g.Objects), "object"))
	return nil
}

// inFile names the file that an error of a decoder is about.
func inFile(err error, name string) error {
	var e *serialize.Error
	if errors.As(err, &e) {
		named := *e
		named.File, named.Msg = name, strings.ReplaceAll(e.Msg, e.File+":", name+":")
		return &named
	}
	return err
}

// say prints a line, unless nothing is to be printed.
func (a *app) say(format string, args ...any) {
	if !a.flags.quiet {
		fmt.Fprintf(a.Stdout, format+"\n", args...)
	}
}
