package sexton

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/sextongc/sexton/gcext"
	"github.com/sextongc/sexton/internal/effect"
	"github.com/sextongc/sexton/internal/hook"
	"github.com/sextongc/sexton/internal/state"
	"github.com/sextongc/sexton/runtime"
)

// Permissions say what scripts may touch: the lists Run, Read, Write, Net and Env, whose entries are those of
// the flags --allow-run and so on; "*" grants all of a kind. The zero value grants nothing.
type Permissions = effect.Permissions

// Options configures an Environment. Nil works: the package in the working directory, its state beside
// it, no permissions.
type Options struct {
	// Dir is the package's directory; empty: the working directory.
	Dir string
	// Name names the environment; empty: what package.json says, else "default". It is no path.
	Name string
	// State is the state directory; empty: .sexton/<Name> in Dir.
	State string
	// Permissions are what scripts may touch. AllowPackage adds what package.json asks for.
	Permissions  Permissions
	AllowPackage bool
	// Settings go before those of package.json, field by field.
	Settings Settings
	// Console receives what scripts print; nil: it is dropped. Level is "debug", "log", "info", "warn" or
	// "error".
	Console func(level, text string)
	// Observe hears of what a deployment does while it does it, one thing after the other, on some goroutine.
	Observe func(Event)
	// Audit hears of each permission that scripts exercise or are refused, at once, one at a time, on any goroutine.
	Audit func(PermissionUse)
	// Confirm is asked before a deployment changes an environment that is not empty, with what it would
	// do, while the state is locked. An error refuses, and is what the deployment ends with. Nil agrees.
	Confirm func(ctx context.Context, p *Plan) error
	// Cache is a directory where bundled sources are kept, so that what has not changed is not bundled anew; any number
	// of environments and processes may share one. Empty: nothing is kept.
	Cache string
	// Extensions are host modules for scripts.
	Extensions []*runtime.Extension
	// Clock is the time of scripts; nil: the real one. Seed, unless it is 0, makes what they draw at random
	// repeat itself, ids of objects included. With both given, the same deployment of the same state writes the
	// same bytes, as long as effects end in the same order.
	Clock runtime.Clock
	Seed  uint64
	// SecretsKey is the key that secrets are sealed with in the state directory: 32 bytes in base64. If it is empty,
	// SecretsKeyFile has it; if that is empty, too, it is the state directory's path with ".key" at its end, and is
	// made when the first secret is saved.
	SecretsKey, SecretsKeyFile string
	// Mask learns the secrets of the environment; nil: one of its own. What goes to people goes through it.
	Mask *Mask
	// Isolation says where the scripts of a deployment run: IsolationNone (default), or IsolationProcess.
	Isolation Isolation
	// Worker is the command that starts a process for scripts, which calls Worker; nil: this program's own file with
	// the argument "worker".
	Worker []string

	fs   state.FS     // nil: the operating system's; tests crash another one
	kept *keptSession // nil: each deployment has a session of its own
}

// Isolation says where scripts run.
type Isolation string

const (
	// IsolationNone: in this process. Scripts of authors whom one trusts.
	IsolationNone Isolation = "none"
	// IsolationProcess: in a process of their own, which has no access to the state, and can be killed at any
	// instant.
	IsolationProcess Isolation = "process"
)

func init() {
	hook.WithFS = func(options, fsys any) { options.(*Options).fs = fsys.(state.FS) }
}

// Settings say how collections behave. Zero fields take the value of package.json, else the default.
type Settings struct {
	OnDestroyError string        // "hold" (default) or "continue": gc 5.6
	Resurrection   string        // "tombstone" (default) or "spare": gc 5.5
	Concurrency    int           // destructors that run at once; default 10
	DestroyTimeout time.Duration // for one object's destroy(); default 10 min
	HandlerTimeout time.Duration // for one handler, loaded(), recover() or hook; default 1 min
	DeployTimeout  time.Duration // for deploy(); default 1 h
	Timeout        time.Duration // for a deployment, plan or Run as a whole; default: none
	Limits         Limits
}

func (s Settings) check() error {
	switch {
	case s.OnDestroyError != "" && s.OnDestroyError != "hold" && s.OnDestroyError != "continue":
		return fmt.Errorf(`onDestroyError is %q: want "hold" or "continue"`, s.OnDestroyError)
	case s.Resurrection != "" && s.Resurrection != "tombstone" && s.Resurrection != "spare":
		return fmt.Errorf(`resurrection is %q: want "tombstone" or "spare"`, s.Resurrection)
	case s.Concurrency < 0:
		return fmt.Errorf("concurrency is %d: want at least 1", s.Concurrency)
	}
	for _, t := range []struct {
		name  string
		value time.Duration
	}{{"destroyTimeout", s.DestroyTimeout}, {"handlerTimeout", s.HandlerTimeout}, {"deployTimeout", s.DeployTimeout}, {"timeout", s.Timeout}} {
		if t.value < 0 {
			return fmt.Errorf("%s is %v: a timeout is not negative", t.name, t.value)
		}
	}
	return s.Limits.check()
}

// Or returns s with its zero fields taken from t.
func (s Settings) Or(t Settings) Settings {
	return Settings{
		OnDestroyError: cmp.Or(s.OnDestroyError, t.OnDestroyError),
		Resurrection:   cmp.Or(s.Resurrection, t.Resurrection),
		Concurrency:    cmp.Or(s.Concurrency, t.Concurrency),
		DestroyTimeout: cmp.Or(s.DestroyTimeout, t.DestroyTimeout),
		HandlerTimeout: cmp.Or(s.HandlerTimeout, t.HandlerTimeout),
		DeployTimeout:  cmp.Or(s.DeployTimeout, t.DeployTimeout),
		Timeout:        cmp.Or(s.Timeout, t.Timeout),
		Limits:         s.Limits.Or(t.Limits),
	}
}

// defaultSettings are those that nobody set.
var defaultSettings = Settings{
	OnDestroyError: "hold", Resurrection: "tombstone", Concurrency: 10,
	DestroyTimeout: 10 * time.Minute, HandlerTimeout: time.Minute, DeployTimeout: time.Hour,
	Limits: defaultLimits,
}

func (s Settings) collector() gcext.Settings {
	return gcext.Settings{
		Continue: s.OnDestroyError == "continue", Spare: s.Resurrection == "spare", Concurrency: s.Concurrency,
		DestroyTimeout: s.DestroyTimeout, HandlerTimeout: s.HandlerTimeout,
	}
}

// settings are those of the options, then those of the package, then the defaults.
func (o *Options) settings(p *Package) Settings {
	return o.Settings.Or(p.Settings).Or(defaultSettings)
}

// stateDir returns the state directory of an environment of package p.
func (o *Options) stateDir(p *Package) string {
	if o.State != "" {
		return o.State
	}
	return filepath.Join(p.Dir, stateFolder, o.name(p))
}

func (o *Options) name(p *Package) string { return cmp.Or(o.Name, p.Environment, "default") }

// permissions returns what scripts of p may touch.
func (o *Options) permissions(p *Package) *effect.Permissions {
	granted := &effect.Permissions{}
	granted.Add(&o.Permissions)
	if o.AllowPackage {
		granted.Add(&p.Permissions)
	}
	return granted
}

// masked has what scripts print go through the mask.
func (o *Options) masked() {
	if o.Mask == nil {
		o.Mask = NewMask()
	}
	if print := o.Console; print != nil {
		mask := o.Mask
		o.Console = func(level, text string) { print(level, mask.Text(text)) }
	}
}
