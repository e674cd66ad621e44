package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/internal/effect"
)

// flags are those that all verbs have.
type flags struct {
	dir, name, state     string
	permissions          sexton.Permissions
	allowPackage         bool
	settings             sexton.Settings
	json, quiet, verbose bool
	logFormat            string
	yes                  bool
	isolation            string
	secretsKeyFile       string
}

func (f *flags) add(set *pflag.FlagSet) {
	set.SortFlags = false
	set.StringVar(&f.dir, "dir", "", "the package's directory (default: the working directory); other paths on the command line are not relative to it")
	set.StringVar(&f.name, "env", "", `name of the environment (default: what package.json says, else "default")`)
	set.StringVar(&f.state, "state", "", "state directory (default: .sexton/<environment> in the package)")
	for _, kind := range effect.Kinds() {
		set.Var(&permission{&f.permissions, kind}, "allow-"+kind, permissionUsage[kind])
		set.Lookup("allow-" + kind).NoOptDefVal = effect.Everything
	}
	set.BoolVar(&f.allowPackage, "allow-package", false, "scripts may do what package.json asks for")
	set.StringVar(&f.settings.OnDestroyError, "on-destroy-error", "", "what a failed destroy() means: hold or continue (default hold)")
	set.StringVar(&f.settings.Resurrection, "resurrection", "", "what becomes of doomed objects that are referred to again: tombstone or spare (default tombstone)")
	set.IntVar(&f.settings.Concurrency, "concurrency", 0, "destructors that run at once (default 10)")
	set.DurationVar(&f.settings.DestroyTimeout, "destroy-timeout", 0, "for the destroy() of one object (default 10m)")
	set.DurationVar(&f.settings.HandlerTimeout, "handler-timeout", 0, "for a handler, hook, loaded() or recover() (default 1m)")
	set.DurationVar(&f.settings.DeployTimeout, "deploy-timeout", 0, "for deploy() (default 1h)")
	set.DurationVar(&f.settings.Timeout, "timeout", 0, "for the deployment, plan, script or tests as a whole (default none)")
	set.Var((*limitFlag)(&f.settings.Limits), "limit", "bound what scripts may use, as in memory=512M,objects=1000 (`limits` in package.json)")
	set.StringVar(&f.isolation, "isolation", "", "where scripts run: process (one of their own) or none (default process)")
	set.StringVar(&f.secretsKeyFile, "secrets-key-file", "", "`file` with the key that secrets are sealed with (default: the state directory's name with .key, made when it is needed)")
	set.BoolVar(&f.json, "json", false, "print events, one JSON object per line")
	set.BoolVarP(&f.quiet, "quiet", "q", false, "print errors and warnings only")
	set.BoolVarP(&f.verbose, "verbose", "v", false, "print more: notifications, phases, kept objects")
	set.StringVar(&f.logFormat, "log-format", "text", "format of errors and warnings: text or json")
	set.BoolVar(&f.yes, "yes", false, "do not ask before much, or something protected, is destroyed")
}

var permissionUsage = map[string]string{
	"run":   "scripts may run these `programs` (without a value: any)",
	"read":  "scripts may read these `files` and directories, relative to the package (without a value: any)",
	"write": "scripts may write these `files` and directories, relative to the package (without a value: any)",
	"net":   "scripts may connect to these `hosts`, with or without a port (without a value: any)",
	"env":   "scripts may read these environment `variables` (without a value: any)",
}

// permission is the flag --allow-<kind>.
type permission struct {
	granted *sexton.Permissions
	kind    string
}

func (p *permission) String() string         { return "" }
func (p *permission) Set(value string) error { return p.granted.Allow(p.kind, value) }
func (p *permission) Type() string           { return "list" }

// limitFlag is the flag --limit.
type limitFlag sexton.Limits

func (l *limitFlag) String() string { return "" }
func (l *limitFlag) Type() string   { return "limits" }

func (l *limitFlag) Set(value string) error {
	for entry := range strings.SplitSeq(value, ",") {
		if err := (*sexton.Limits)(l).Set(strings.TrimSpace(entry)); err != nil {
			return err
		}
	}
	return nil
}

// fromEnvironment sets global flags that are not on the command line from variables: --allow-read from
// SEXTON_ALLOW_READ. One that is empty counts as not set.
func (f *flags) fromEnvironment(set *pflag.FlagSet, lookup func(string) (string, bool)) error {
	var global pflag.FlagSet
	(&flags{}).add(&global)
	var err error
	global.VisitAll(func(known *pflag.Flag) {
		flag := set.Lookup(known.Name)
		name := "SEXTON_" + strings.ToUpper(strings.ReplaceAll(known.Name, "-", "_"))
		value, ok := lookup(name)
		if err != nil || !ok || value == "" || flag == nil || flag.Changed {
			return
		}
		if e := set.Set(flag.Name, value); e != nil {
			err = fmt.Errorf("%s: %w", name, e)
		}
	})
	if isolation := sexton.Isolation(f.isolation); err == nil && isolation != "" && isolation != sexton.IsolationNone && isolation != sexton.IsolationProcess {
		err = fmt.Errorf(`--isolation is %q: want "process" or "none"`, f.isolation)
	}
	if err == nil && f.logFormat != "text" && f.logFormat != "json" {
		err = fmt.Errorf(`--log-format is %q: want "text" or "json"`, f.logFormat)
	}
	return err
}

// options makes the options that the flags describe, for a package in the working directory unless a
// flag names another one.
func (a *app) options() *sexton.Options {
	f := &a.flags
	o := &sexton.Options{
		Dir: a.path(f.dir), Name: f.name, Permissions: f.permissions, AllowPackage: f.allowPackage, Settings: f.settings,
	}
	o.Isolation = cmp.Or(sexton.Isolation(f.isolation), sexton.IsolationProcess)
	o.Mask = a.mask
	o.Cache = a.cache()
	o.SecretsKey, _ = a.LookupEnv("SEXTON_SECRETS_KEY")
	if f.secretsKeyFile != "" {
		o.SecretsKeyFile = a.path(f.secretsKeyFile)
	}
	if f.state != "" {
		o.State = a.path(f.state)
	}
	return o
}

// cache is the directory where bundles are kept: what SEXTON_CACHE says, else one of this user.
func (a *app) cache() string {
	switch dir, _ := a.LookupEnv("SEXTON_CACHE"); dir {
	case "":
		return a.Cache
	case "off":
		return ""
	default:
		return a.path(dir)
	}
}

// open opens the environment that opts describe.
func (a *app) open(opts *sexton.Options) (*sexton.Environment, error) {
	e, err := sexton.Open(opts)
	if err != nil {
		return nil, usage(err)
	}
	a.pkgDir = e.Package().Dir
	asked := &e.Package().Permissions
	a.asks = !opts.AllowPackage && len(asked.Run)+len(asked.Read)+len(asked.Write)+len(asked.Net)+len(asked.Env) > 0
	return e, nil
}

// model reads the model file that the arguments name, else that of the package.
func (a *app) model(e *sexton.Environment, args []string) (*sexton.Model, error) {
	var file string
	if len(args) > 0 {
		file = a.path(args[0])
	} else {
		var err error
		if file, err = e.Package().ModelFile(); err != nil {
			return nil, usage(err)
		}
	}
	m, err := e.ReadModel(file)
	if errors.Is(err, fs.ErrNotExist) && len(args) > 0 && !filepath.IsAbs(args[0]) {
		inPackage := filepath.Join(e.Package().Dir, args[0])
		if _, e := os.Stat(inPackage); e == nil {
			err = &hintedError{err, fmt.Sprintf("paths are relative to the working directory, not to --dir: write %s", a.shortPath(inPackage))}
		}
	}
	if err != nil {
		return nil, usage(err)
	}
	m.File = a.shortPath(file)
	return m, nil
}

// path makes a path absolute.
func (a *app) path(p string) string {
	if filepath.IsAbs(p) {
		return filepath.Clean(p)
	}
	return filepath.Join(a.Dir, p)
}

// shortPath is a path as people want to read it: relative where that is shorter.
func (a *app) shortPath(p string) string {
	if rel, err := filepath.Rel(a.Dir, p); err == nil && len(rel) < len(p) {
		return rel
	}
	return p
}
