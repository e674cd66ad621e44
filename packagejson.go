package sexton

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/sextongc/sexton/internal/effect"
	"github.com/sextongc/sexton/serialize"
)

// packageJSON is what is read of package.json.
type packageJSON struct {
	Name    string                     `json:"name"`
	Version string                     `json:"version"`
	Main    string                     `json:"main"`
	Exports any                        `json:"exports"`
	Sexton  map[string]json.RawMessage `json:"sexton"`
}

// duration is written as "90s" or as a number of milliseconds.
type duration struct{ value *time.Duration }

func (d *duration) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		v, err := time.ParseDuration(text)
		if err != nil {
			return fmt.Errorf(`%w: want "90s", "1h30m" or a number of milliseconds`, err)
		}
		*d.value = v
		return nil
	}
	var ms float64
	if err := json.Unmarshal(data, &ms); err != nil {
		return fmt.Errorf(`want "90s" or a number of milliseconds, got %s`, data)
	}
	*d.value = time.Duration(ms * float64(time.Millisecond))
	return nil
}

// targets are where the settings are read to, by their names.
func (s *Settings) targets() map[string]any {
	return map[string]any{
		"onDestroyError": &s.OnDestroyError, "resurrection": &s.Resurrection, "concurrency": &s.Concurrency,
		"destroyTimeout": &duration{&s.DestroyTimeout}, "handlerTimeout": &duration{&s.HandlerTimeout},
		"deployTimeout": &duration{&s.DeployTimeout},
	}
}

// readMembers reads members of an object into targets of their names.
func readMembers(members map[string]json.RawMessage, targets map[string]any) error {
	for _, name := range slices.Sorted(maps.Keys(members)) {
		target := targets[name]
		if target == nil {
			return fmt.Errorf("unknown setting %q%s", name, serialize.DidYouMean(name, slices.Sorted(maps.Keys(targets))))
		}
		if err := json.Unmarshal(members[name], target); err != nil {
			return fmt.Errorf("%s: %w", name, describeJSON(nil, err))
		}
	}
	return nil
}

// ParseSettings reads settings as package.json has them, in the form that t.deploy takes.
func ParseSettings(data []byte) (Settings, error) {
	var s Settings
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		return Settings{}, fmt.Errorf("settings: %w", describeJSON(data, err))
	}
	if err := readMembers(members, s.targets()); err != nil {
		return Settings{}, fmt.Errorf("settings: %w", err)
	}
	return s, s.check()
}

// readSexton reads the member "sexton" of package.json.
func (p *Package) readSexton(members map[string]json.RawMessage) error {
	var permissions json.RawMessage
	targets := p.Settings.targets()
	targets["environment"], targets["model"], targets["config"] = &p.Environment, &p.Model, &p.Config
	targets["permissions"], targets["timeout"] = &permissions, &duration{&p.Settings.Timeout}
	targets["limits"] = &limitsJSON{&p.Settings.Limits}
	if err := readMembers(members, targets); err != nil {
		return fmt.Errorf("sexton: %w", err)
	}
	if err := p.Settings.check(); err != nil {
		return fmt.Errorf("sexton: %w", err)
	}
	if len(permissions) == 0 {
		return nil
	}
	granted, err := effect.ParsePermissions(permissions)
	if err != nil {
		return fmt.Errorf("sexton.%w", err)
	}
	p.Permissions = *granted
	return nil
}

// describeJSON adds line and column to an error of encoding/json, and says what it says in words of JSON.
// Without data there is no place to tell.
func describeJSON(data []byte, err error) error {
	var syntax *json.SyntaxError
	var typ *json.UnmarshalTypeError
	offset := int64(-1)
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &typ):
		offset = typ.Offset
		text := fmt.Sprintf("expected %s, got %s", jsonType(typ), typ.Value)
		if typ.Field != "" {
			text = typ.Field + ": " + text
		}
		err = errors.New(text)
	}
	if data == nil || offset < 0 || offset > int64(len(data)) {
		return err
	}
	before := string(data[:offset])
	return fmt.Errorf("line %d, column %d: %w", strings.Count(before, "\n")+1, len(before)-strings.LastIndexByte(before, '\n'), err)
}

// jsonType is what JSON calls the type that a value should have.
func jsonType(e *json.UnmarshalTypeError) string {
	switch name := e.Type.String(); name {
	case "string":
		return name
	case "int":
		return "a whole number"
	}
	return "object"
}
