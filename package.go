package sexton

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/sextongc/sexton/internal/effect"
)

// Package is what package.json says about a directory of classes. A directory without one is a
// package named after the directory.
type Package struct {
	Dir         string // absolute
	Name        string
	Version     string
	Main        string // file of the main module, relative to Dir; empty: there is none
	Settings    Settings
	Environment string // name of the environment; empty: "default"
	Model       string // file of the model, relative to Dir; empty: model.json, model.yaml or model.yml
	Permissions effect.Permissions
	Config      map[string]json.RawMessage // values of `config` properties
}

// LoadPackage reads the package in a directory.
func LoadPackage(dir string) (*Package, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(abs); err != nil {
		return nil, fmt.Errorf("package directory: %w", err)
	} else if !info.IsDir() {
		return nil, fmt.Errorf("package directory: %s is a file", dir)
	}
	p := &Package{Dir: abs, Name: filepath.Base(abs)}
	file := filepath.Join(abs, "package.json")
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		p.Main, err = p.findMain("", nil)
		return p, err
	} else if err != nil {
		return nil, err
	}
	var j packageJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return nil, fmt.Errorf("%s: %w", file, describeJSON(data, err))
	}
	if j.Name != "" {
		p.Name = j.Name[strings.LastIndexByte(j.Name, '/')+1:]
	}
	p.Version = j.Version
	if err := p.readSexton(j.Sexton); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if p.Main, err = p.findMain(j.Main, j.Exports); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return p, nil
}

// findMain returns the main module: what package.json names, else index or main.
func (p *Package) findMain(main string, exports any) (string, error) {
	switch x := exports.(type) {
	case string:
		main = x
	case map[string]any:
		entry := x["."]
		if conditions, ok := entry.(map[string]any); ok {
			entry = conditions["import"]
			if entry == nil {
				entry = conditions["default"]
			}
		}
		if file, ok := entry.(string); ok {
			main = file
		}
	}
	if main != "" {
		if info, err := os.Stat(filepath.Join(p.Dir, filepath.FromSlash(main))); err != nil || info.IsDir() {
			return "", fmt.Errorf("main module %s is not there", main)
		}
		return main, nil
	}
	for _, base := range []string{"index", "main"} {
		if file := p.find(base, scriptExtensions); file != "" {
			return file, nil
		}
	}
	return "", nil
}

var scriptExtensions = []string{".ts", ".js", ".mts", ".mjs"}

// find returns base with the first of the extensions that exists, relative to the package; else "".
func (p *Package) find(base string, extensions []string) string {
	for _, ext := range extensions {
		if info, err := os.Stat(filepath.Join(p.Dir, filepath.FromSlash(base+ext))); err == nil && !info.IsDir() {
			return base + ext
		}
	}
	return ""
}

// ModelFile returns the path of the package's model; it need not exist if package.json names it.
func (p *Package) ModelFile() (string, error) {
	file := p.Model
	if file == "" {
		if file = p.find("model", []string{".json", ".yaml", ".yml"}); file == "" {
			return "", fmt.Errorf("no model: neither model.json nor model.yaml is in %s; name the file, or write one", p.Dir)
		}
	}
	return filepath.Join(p.Dir, filepath.FromSlash(file)), nil
}
