package cli

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// versionJSON says what this program is made of.
type versionJSON struct {
	Sexton string `json:"sexton"`
	Commit string `json:"commit,omitempty"`
	Go     string `json:"go"`
	Goja   string `json:"goja,omitempty"`
	OS     string `json:"os"`
	Arch   string `json:"arch"`
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "prints the version",
		Example: examples(
			"sexton version",
			"sexton version --json",
		),
		Args: cobra.NoArgs,
		RunE: a.verb(func(*cobra.Command, []string) error {
			v := buildVersion()
			if a.flags.json {
				a.emit(&event{Event: "version", Version: v})
				return nil
			}
			fmt.Fprintf(a.Stdout, "sexton %s (%s, goja %s, %s/%s)\n", v.Sexton, v.Go, v.Goja, v.OS, v.Arch)
			return nil
		}),
	}
}

func buildVersion() *versionJSON {
	v := &versionJSON{Sexton: "(devel)", Go: runtime.Version(), Goja: "unknown", OS: runtime.GOOS, Arch: runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	v.Sexton = cmp.Or(info.Main.Version, v.Sexton)
	for _, dep := range info.Deps {
		if dep.Path == "github.com/dop251/goja" {
			v.Goja = dep.Version
		}
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			v.Commit = s.Value
		}
	}
	return v
}
