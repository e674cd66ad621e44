package sexton

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sextongc/sexton/runtime"
	"github.com/sextongc/sexton/serialize"
)

// Limits bound what scripts and documents may use. Times are in Settings. Zero fields take the value of
// package.json, else the default. Scripts that run in this process share its heap and CPU time with everything else
// in it: there, Memory and CPU are of the process, from the moment on when the scripts began.
type Limits struct {
	Memory       int64         // bytes of heap; default 1 GiB. A string or a list that a built-in makes at once may have a quarter
	CPU          time.Duration // CPU time of a deployment; default 1 h
	CallDepth    int           // nested calls; default 500
	Objects      int           // managed objects that are not destroyed; default 1,000,000
	Edges        int           // subscriptions, and references in saved properties; default 10,000,000
	Output       int64         // bytes that scripts print; default 64 MiB
	Files        int           // operations on files under way at one time, further ones wait; open files of a worker; default 256
	Processes    int           // programs that scripts have running at one time, without what those start; default 256
	ModelSize    int64         // bytes of a model; default 64 MiB
	SnapshotSize int64         // bytes of a snapshot; default 256 MiB
	SourceSize   int64         // bytes of one source file, and of code that eval or Function gets; default 4 MiB
	Nesting      int           // levels of arrays and objects in models, snapshots and JSON; default 10,000, which is also the most
	Timers       int           // set at one time; default 100,000
	Promises     int           // effects and other work of the host that scripts wait for at one time; default 10,000
}

// LimitError says which limit a script exceeded, and where.
type LimitError = runtime.LimitError

// defaultLimits are those that nobody set.
var defaultLimits = Limits{
	Memory: 1 << 30, CPU: time.Hour, CallDepth: 500, Objects: 1_000_000, Edges: 10_000_000, Output: 64 << 20, Files: 256, Processes: 256,
	ModelSize: 64 << 20, SnapshotSize: 256 << 20, SourceSize: 4 << 20, Nesting: 10_000, Timers: 100_000, Promises: 10_000,
}

// Or returns l with its zero fields taken from m.
func (l Limits) Or(m Limits) Limits {
	return Limits{
		Memory: cmp.Or(l.Memory, m.Memory), CPU: cmp.Or(l.CPU, m.CPU), CallDepth: cmp.Or(l.CallDepth, m.CallDepth),
		Objects: cmp.Or(l.Objects, m.Objects), Edges: cmp.Or(l.Edges, m.Edges), Output: cmp.Or(l.Output, m.Output),
		Files: cmp.Or(l.Files, m.Files), Processes: cmp.Or(l.Processes, m.Processes),
		ModelSize: cmp.Or(l.ModelSize, m.ModelSize), SnapshotSize: cmp.Or(l.SnapshotSize, m.SnapshotSize),
		SourceSize: cmp.Or(l.SourceSize, m.SourceSize), Nesting: cmp.Or(l.Nesting, m.Nesting),
		Timers: cmp.Or(l.Timers, m.Timers), Promises: cmp.Or(l.Promises, m.Promises),
	}
}

// Set sets one limit by its name in package.json: "memory=512M".
func (l *Limits) Set(entry string) error {
	name, value, ok := strings.Cut(entry, "=")
	if !ok {
		return fmt.Errorf(`%q: want <limit>=<value>, as in memory=512M`, entry)
	}
	target := l.targets()[name]
	if target == nil {
		return fmt.Errorf("there is no limit %q%s", name, serialize.DidYouMean(name, slices.Sorted(maps.Keys(l.targets()))))
	}
	if err := target.set(value); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return l.check()
}

// limitTarget is where a limit is read to: one of these.
type limitTarget struct {
	bytes *int64
	count *int
	time  *time.Duration
}

func (l *Limits) targets() map[string]*limitTarget {
	return map[string]*limitTarget{
		"memory": {bytes: &l.Memory}, "cpu": {time: &l.CPU}, "callDepth": {count: &l.CallDepth}, "objects": {count: &l.Objects},
		"edges": {count: &l.Edges}, "output": {bytes: &l.Output}, "files": {count: &l.Files}, "processes": {count: &l.Processes},
		"modelSize": {bytes: &l.ModelSize}, "snapshotSize": {bytes: &l.SnapshotSize}, "sourceSize": {bytes: &l.SourceSize},
		"nesting": {count: &l.Nesting}, "timers": {count: &l.Timers}, "promises": {count: &l.Promises},
	}
}

func (t *limitTarget) set(text string) (err error) {
	switch {
	case t.time != nil:
		if *t.time, err = time.ParseDuration(text); err != nil {
			return fmt.Errorf(`%w: want "90s" or "1h30m"`, err)
		}
	case t.count != nil:
		if *t.count, err = strconv.Atoi(text); err != nil {
			return fmt.Errorf("%q is no whole number", text)
		}
	default:
		*t.bytes, err = parseBytes(text)
	}
	return err
}

// UnmarshalJSON reads a number, or a text with a unit.
func (t *limitTarget) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		return t.set(text)
	}
	switch {
	case t.time != nil:
		return (&duration{t.time}).UnmarshalJSON(data)
	case t.count != nil:
		return json.Unmarshal(data, t.count)
	}
	return json.Unmarshal(data, t.bytes)
}

// parseBytes reads a number of bytes: "512M" is 512 times 2^20.
func parseBytes(text string) (int64, error) {
	number, shift := text, 0
	if n := len(text) - 1; n > 0 {
		if i := strings.IndexByte("KMGT", text[n]); i >= 0 {
			number, shift = text[:n], 10*(i+1)
		}
	}
	v, err := strconv.ParseInt(number, 10, 64)
	if err != nil || v > 1<<62>>shift {
		return 0, fmt.Errorf("%q is no number of bytes: want one like 65536, 64K, 512M or 2G", text)
	}
	return v << shift, nil
}

// limitsJSON reads the limits in package.json.
type limitsJSON struct{ limits *Limits }

func (l *limitsJSON) UnmarshalJSON(data []byte) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		return err
	}
	targets := map[string]any{}
	for name, t := range l.limits.targets() {
		targets[name] = t
	}
	return readMembers(members, targets)
}

func (l *Limits) check() error {
	targets := l.targets()
	for _, name := range slices.Sorted(maps.Keys(targets)) {
		t := targets[name]
		if t.bytes != nil && *t.bytes < 0 || t.count != nil && *t.count < 0 || t.time != nil && *t.time < 0 {
			return fmt.Errorf("limit %s is negative", name)
		}
	}
	if l.Nesting > defaultLimits.Nesting {
		return fmt.Errorf("limit nesting is %d: the most is %d", l.Nesting, defaultLimits.Nesting)
	}
	return nil
}

// runtime returns the limits of a runtime.
func (l Limits) runtime() runtime.Limits {
	return runtime.Limits{
		Memory: l.Memory, CPU: l.CPU, Output: l.Output, Timers: l.Timers, Promises: l.Promises, SourceSize: l.SourceSize, Nesting: l.Nesting,
	}
}

func tooLarge(limit string, most int64, what string) error {
	return &LimitError{Limit: limit, Value: runtime.Bytes(most), What: what}
}
