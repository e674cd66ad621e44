package effect

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Everything, as an entry of a list of Permissions, grants all that the list is about.
const Everything = "*"

// Permissions say what the scripts of a package may touch. The zero value grants nothing. Its JSON
// form is what package.json has under "sexton": {"permissions": …}.
type Permissions struct {
	// Run lists programs: a bare name ("netctl") allows exactly that name, looked up in PATH; a path
	// ("./tool", "/usr/bin/tool"; relative to the package directory) allows that file.
	Run []string `json:"run,omitempty"`
	// Read and Write list files and directories, the latter with all that is in them. Relative paths
	// are relative to the package directory.
	Read  []string `json:"read,omitempty"`
	Write []string `json:"write,omitempty"`
	// Net lists hosts: HOST (any port) or HOST:PORT, where HOST is a name, *.NAME for the names below it, an
	// address, or a network (10.0.0.0/8). Names that lead to addresses which are not public need an entry for the
	// address, too; "localhost" does not.
	Net []string `json:"net,omitempty"`
	// Env lists environment variables that scripts may read and that the programs they run inherit.
	Env []string `json:"env,omitempty"`
}

// Kinds are the names of the lists, as in package.json and in the flags --allow-<kind>.
func Kinds() []string { return []string{"run", "read", "write", "net", "env"} }

// Allow adds what the value of the flag --allow-<kind> grants: entries that are separated by commas
// (",," stands for a comma in an entry), or Everything. An empty value is an error, so that a
// variable that happens to be unset ("--allow-read=$DIR") does not grant anything by accident.
func (p *Permissions) Allow(kind, value string) error {
	list := p.List(kind)
	if list == nil {
		return fmt.Errorf("unknown permission %q: there are %s", kind, strings.Join(Kinds(), ", "))
	}
	const comma = "\x00"
	var entries []string
	for entry := range strings.SplitSeq(strings.ReplaceAll(value, ",,", comma), ",") {
		entries = append(entries, strings.ReplaceAll(strings.TrimSpace(entry), comma, ","))
	}
	for _, entry := range entries {
		if err := checkEntry(kind, entry); err != nil {
			return fmt.Errorf("--allow-%s=%s: %w", kind, value, err)
		}
	}
	*list = append(*list, entries...)
	return nil
}

// ParsePermissions reads the form of package.json: {"run": ["netctl"], "read": ["."], …}. Unknown
// keys and entries that could never match are errors.
func ParsePermissions(data []byte) (*Permissions, error) {
	p := new(Permissions)
	var lists map[string]jsontext.Value
	if err := json.Unmarshal(data, &lists); err != nil {
		return nil, fmt.Errorf(`permissions: want { "run": […], … }: %w`, plainJSONError(err))
	}
	for _, kind := range slices.Sorted(maps.Keys(lists)) {
		list := p.List(kind)
		if list == nil {
			return nil, fmt.Errorf("permissions: unknown permission %q: there are %s", kind, strings.Join(Kinds(), ", "))
		}
		if err := json.Unmarshal(lists[kind], list); err != nil {
			return nil, fmt.Errorf("permissions: %s: want a list of strings, got %s", kind, lists[kind])
		}
		for _, entry := range *list {
			if err := checkEntry(kind, entry); err != nil {
				return nil, fmt.Errorf("permissions: %s: %w", kind, err)
			}
		}
	}
	return p, nil
}

// Add grants what q grants, too.
func (p *Permissions) Add(q *Permissions) {
	for _, kind := range Kinds() {
		list := p.List(kind)
		*list = append(*list, *q.List(kind)...)
	}
}

// List is the list of a kind; nil: there is no such kind.
func (p *Permissions) List(kind string) *[]string {
	switch kind {
	case "run":
		return &p.Run
	case "read":
		return &p.Read
	case "write":
		return &p.Write
	case "net":
		return &p.Net
	case "env":
		return &p.Env
	}
	return nil
}

func checkEntry(kind, entry string) error {
	switch {
	case entry == "":
		return errors.New("an empty entry grants nothing; leave it out")
	case strings.ContainsRune(entry, 0):
		return fmt.Errorf("%q has a zero byte", entry)
	case entry == Everything:
		return nil
	case kind == "env" && strings.Contains(entry, "="):
		return fmt.Errorf("%q is no name of a variable", entry)
	case kind == "net":
		_, err := parseNet(entry)
		return err
	}
	return nil
}

// denied is the refusal of an operation. What was asked stands in asked ("read a.txt"); grant is the
// entry that would allow it.
func denied(asked, kind, grant string) *Error {
	return &Error{
		Name:    "PermissionDenied",
		Code:    "ERR_ACCESS_DENIED",
		Message: fmt.Sprintf("%s is not permitted: run with --allow-%s=%s", asked, kind, quoteFlag(grant)),
	}
}

// quoteFlag writes an entry as the value of a flag in a shell.
func quoteFlag(entry string) string { return quote(escapeEntry(entry)) }

func escapeEntry(entry string) string { return strings.ReplaceAll(entry, ",", ",,") }

func quote(entry string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(`/\._-+:,=@%[]`, r)
	}
	if entry != "" && !strings.ContainsFunc(entry, func(r rune) bool { return !plain(r) }) {
		return entry
	}
	return "'" + strings.ReplaceAll(entry, "'", `'\''`) + "'"
}

func all(list []string) bool { return slices.Contains(list, Everything) }
