package effect

import (
	"context"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// commandArgs say which program to start, and how: common to exec and spawn. There is no shell.
type commandArgs struct {
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Cwd     string            `json:"cwd"` // empty: the package directory
	Env     map[string]string `json:"env"` // on top of childEnv
}

// prepare checks permissions and builds the command; it is killed with its process group when ctx ends.
func (p *call) prepare(ctx context.Context, a *commandArgs) (*exec.Cmd, error) {
	file, err := p.policy.program(a.Command)
	if err != nil {
		return nil, err
	}
	for i, arg := range a.Args {
		if strings.ContainsRune(arg, 0) {
			return nil, typeError("args[%d] has a zero byte", i)
		}
	}
	env, err := p.childEnv(a.Env)
	if err != nil {
		return nil, err
	}
	cwd, err := p.workingDirectory(a.Cwd)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, file, a.Args...)
	cmd.Args[0] = a.Command
	cmd.Dir = cwd
	cmd.Env = env
	return cmd, nil
}

// workingDirectory is not a matter of permission: a program can go where it likes anyway.
func (p *call) workingDirectory(cwd string) (string, error) {
	path, err := resolve(p.Dir, cwd, true)
	if err != nil {
		return "", fileError(err, "chdir", cwd)
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", fileError(err, "chdir", cwd)
	}
	if !info.IsDir() {
		return "", fileError(errNotDirectory, "chdir", cwd)
	}
	return path, nil
}

// childEnv is the environment of a program: what every program needs, what the permissions let
// scripts see, and what the script passes. Nothing else leaks from the operator's shell.
func (p *call) childEnv(passed map[string]string) ([]string, error) {
	var env []string
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		grant := p.policy.mayReadVariable(name)
		if grant != "" && grant != Everything { // else every program would use every variable
			p.policy.allowed("env", name, grant, name)
		}
		if grant != "" || slices.Contains(inheritedVariables, foldVariable(name)) {
			env = append(env, pair)
		}
	}
	for _, name := range sortedKeys(passed) {
		if name == "" || strings.ContainsAny(name, "=\x00") || strings.ContainsRune(passed[name], 0) {
			return nil, typeError("env: %q cannot be set", name)
		}
		// These make a permitted program load other code; who may run everything needs no such way.
		if loadsCode(name) && !all(p.policy.granted.Run) {
			return nil, p.policy.denied("pass the environment variable "+name, "run", name+"=", Everything)
		}
		env = append(env, name+"="+passed[name])
	}
	return env, nil
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func loadsCode(variable string) bool {
	return strings.HasPrefix(variable, "LD_") || strings.HasPrefix(variable, "DYLD_")
}

type variableArgs struct {
	Name string `json:"name"`
}

func (p *call) variable(_ context.Context, a *variableArgs) (any, error) {
	if err := p.policy.variable(a.Name); err != nil {
		return nil, err
	}
	if value, set := os.LookupEnv(a.Name); set {
		return clean(value), nil
	}
	return nil, nil
}
