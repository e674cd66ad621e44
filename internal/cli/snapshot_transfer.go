package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/internal/render"
)

func (a *app) snapshotSaveCommand() *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:   "save FILE",
		Short: "writes the snapshot of the environment to a file",
		Long: `Save writes what "sexton snapshot" prints to a file, whole or not at all. A snapshot is for reading,
comparing and deploying: it does not tell what interrupted objects did, nor which environment it is of.
"sexton snapshot export" does.`,
		Example: examples(
			"sexton deploy && sexton snapshot save today.json",
			"sexton snapshot save staging.json --force --json",
		),
		Args: cobra.ExactArgs(1),
		RunE: a.verb(func(_ *cobra.Command, args []string) error {
			e, info, err := a.storedState()
			if err != nil {
				return err
			}
			data, err := e.Snapshot()
			if err != nil {
				return err
			}
			if err := a.saveFile(e, args[0], data, force); err != nil {
				return err
			}
			interrupted := 0
			for _, o := range info.Objects {
				if len(o.Effects) > 0 {
					interrupted++
				}
			}
			if interrupted > 0 {
				a.log("warning", fmt.Sprintf("of %s that were interrupted, a snapshot does not say what they did; `sexton snapshot export` does",
					render.Count(interrupted, "object")))
			}
			return a.tellSaved(args[0], data, len(info.Objects))
		}),
	}
	cmd.Flags().BoolVar(&force, "force", false, "replace a file that is there")
	return cmd
}

func (a *app) snapshotExportCommand() *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:   "export [FILE]",
		Short: "writes everything that another machine needs to go on",
		Long: `Export writes the snapshot together with what it does not say: the effects of interrupted objects, and
what keeps tokens and incarnations unique. "sexton snapshot import" makes it the state of an empty
environment, which then goes on exactly from there. Without a file it is printed. Secrets stand in it
sealed: whoever imports it needs the key.`,
		Example: examples(
			"sexton snapshot export shop.export",
			"sexton snapshot export > shop.export",
		),
		Args: cobra.MaximumNArgs(1),
		RunE: a.verb(func(_ *cobra.Command, args []string) error {
			e, info, err := a.storedState()
			if err != nil {
				return err
			}
			data, err := e.Export()
			if errors.Is(err, sexton.ErrNoState) {
				return usage(err)
			} else if err != nil {
				return err
			}
			if len(args) == 0 {
				_, err := a.Stdout.Write(data)
				return err
			}
			if err := a.saveFile(e, args[0], data, force); err != nil {
				return err
			}
			return a.tellSaved(args[0], data, len(info.Objects))
		}),
	}
	cmd.Flags().BoolVar(&force, "force", false, "replace a file that is there")
	return cmd
}

// savedJSON is a file that was written, as --json prints it.
type savedJSON struct {
	File    string `json:"file"`
	Digest  string `json:"digest"` // of the file's bytes
	Objects int    `json:"objects"`
}

func (a *app) tellSaved(file string, data []byte, objects int) error {
	if a.flags.json {
		a.emit(&event{Event: "saved", Saved: &savedJSON{file, digest(data), objects}})
		return nil
	}
	a.say("%s: %s saved", file, render.Count(objects, "object"))
	return nil
}

// saveFile writes a file whole or not at all, and none into the state directory of the environment.
func (a *app) saveFile(e *sexton.Environment, name string, data []byte, replace bool) error {
	path := a.path(name)
	if same, err := sameFile(filepath.Dir(path), e.StateDir()); err != nil {
		return usage(err)
	} else if same {
		return usage(fmt.Errorf("%s is a place in the state directory, whose files are the state: choose another one", name))
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) && !replace {
		if err != nil {
			return err
		}
		return usage(fmt.Errorf("%s is there already; --force replaces it", name))
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".sexton-*")
	if err != nil {
		return usage(err)
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

func sameFile(a, b string) (bool, error) {
	ia, errA := os.Stat(a)
	ib, errB := os.Stat(b)
	if err := errors.Join(errA, errB); err != nil {
		return false, err
	}
	return os.SameFile(ia, ib), nil
}

func (a *app) snapshotImportCommand() *cobra.Command {
	opts := &sexton.ImportOptions{}
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "makes an export, or a snapshot, the state of an empty environment",
		Long: `Import makes the state of the environment what a file says. Nothing is created or destroyed: the
resources are this environment's from now on, so let no other environment go on with them. It asks, and
the history tells of it.

Of an export, tokens stay what they were, and interrupted objects are interrupted still. A snapshot does
not say which environment it is of: its objects get new incarnations, and so new tokens.

The environment must be empty. With --replace, what it holds is forgotten as by "sexton state rm".`,
		Example: examples(
			"sexton snapshot export shop.export && sexton snapshot import shop.export --env other --yes",
			"sexton snapshot import staging.json --env staging --replace --yes --json",
		),
		Args: cobra.ExactArgs(1),
		RunE: a.verb(func(_ *cobra.Command, args []string) error {
			e, err := a.open(a.options())
			if err != nil {
				return err
			}
			data, err := os.ReadFile(a.path(args[0]))
			if err != nil {
				return usage(err)
			}
			ctx, _, stop := a.interruptible(func(string) {}, "")
			defer stop()
			opts.File = args[0]
			opts.Confirm = func(i *sexton.Imported) error {
				what, names := render.Count(len(i.Objects), "object")+" would be imported", objectLabels(i.Objects)
				if len(i.Forgotten) > 0 {
					what += ", " + render.Count(len(i.Forgotten), "object") + " forgotten and never destroyed"
					names = objectLabels(i.Forgotten)
				}
				return a.agree(ctx, what, names)
			}
			i, err := e.Import(data, opts)
			switch {
			case errors.Is(err, sexton.ErrExport):
				return fmt.Errorf("%w: %w", errSnapshot, inFile(err, args[0]))
			case errors.Is(err, sexton.ErrNotEmpty):
				return usage(&hintedError{err, "nothing was changed; --replace forgets them, and never destroys them"})
			case err != nil:
				return err
			}
			if a.flags.json {
				a.emit(&event{Event: "imported", Imported: &importedJSON{args[0], orEmpty(i.Objects), orEmpty(i.Forgotten), i.Interrupted, i.Exact}})
				return nil
			}
			a.printImported(e.Name(), i)
			return nil
		}),
	}
	cmd.Flags().BoolVar(&opts.Replace, "replace", false, "forget what the environment holds")
	cmd.Flags().StringVar(&opts.Reason, "reason", "", "`text` for the history")
	return cmd
}

// importedJSON is a sexton.Imported as --json prints it.
type importedJSON struct {
	File      string          `json:"file"`
	Objects   []sexton.Object `json:"objects"`
	Forgotten []sexton.Object `json:"forgotten"`
	Effects   int             `json:"effects"` // that nobody recovered yet
	Exact     bool            `json:"exact"`
}

func (a *app) printImported(name string, i *sexton.Imported) {
	for k := range i.Forgotten {
		a.say("- forgotten %s", label(&i.Forgotten[k]))
	}
	text := fmt.Sprintf("%s: %s imported", name, render.Number(len(i.Objects)))
	if len(i.Forgotten) > 0 {
		text += fmt.Sprintf(", %s forgotten", render.Number(len(i.Forgotten)))
	}
	if i.Interrupted > 0 {
		text += fmt.Sprintf("; %s to recover", render.Count(i.Interrupted, "effect"))
	}
	a.say("%s", a.style().Paint(render.Bold, text))
	if !i.Exact {
		a.log("note", "it is a snapshot and no export: the objects have new incarnations and tokens")
	}
}
