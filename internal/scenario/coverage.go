package scenario

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/sextongc/sexton/internal/render"
	"github.com/sextongc/sexton/runtime"
)

// FileCoverage is how often the code of a source file ran, in all test files together. Files that no test has loaded
// have none.
type FileCoverage struct {
	File      string        `json:"file"`  // relative to the package, with slashes
	Lines     []LineCount   `json:"lines"` // those on which a statement begins
	Functions []FunctionHit `json:"functions"`
}

// LineCount is how often the statement of a line ran that ran most often.
type LineCount struct {
	Line  int `json:"line"`
	Count int `json:"count"`
}

// FunctionHit is how often a function was called.
type FunctionHit struct {
	Name   string `json:"name"` // empty: it has none
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Count  int    `json:"count"`
}

// isCovered says whose code is counted: that of the package, but not of its tests.
func isCovered(file string) bool {
	return filepath.IsLocal(filepath.FromSlash(file)) && !isTest(file) && !slices.Contains(strings.Split(file, "/"), "node_modules")
}

// coverage adds up what the test files tell: counts by source file, and there by place.
type coverage map[string]map[place]int

type place struct {
	function     bool
	line, column int
	name         string
}

func (c coverage) add(files []runtime.Covered) {
	for _, f := range files {
		if c[f.File] == nil {
			c[f.File] = map[place]int{}
		}
		for _, s := range f.Statements {
			c[f.File][place{false, s.Line, s.Column, ""}] += s.Count
		}
		for _, fn := range f.Functions {
			c[f.File][place{true, fn.Line, fn.Column, fn.Name}] += fn.Count
		}
	}
}

func (c coverage) files() []*FileCoverage {
	var all []*FileCoverage
	for _, name := range slices.Sorted(maps.Keys(c)) {
		f := &FileCoverage{File: name, Lines: []LineCount{}, Functions: []FunctionHit{}}
		lines := map[int]int{}
		for at, count := range c[name] {
			if at.function {
				f.Functions = append(f.Functions, FunctionHit{at.name, at.line, at.column, count})
			} else {
				lines[at.line] = max(lines[at.line], count)
			}
		}
		slices.SortFunc(f.Functions, func(a, b FunctionHit) int {
			return cmp.Or(a.Line-b.Line, a.Column-b.Column, strings.Compare(a.Name, b.Name))
		})
		for _, line := range slices.Sorted(maps.Keys(lines)) {
			f.Lines = append(f.Lines, LineCount{line, lines[line]})
		}
		all = append(all, f)
	}
	return all
}

// share is how many of all things were reached.
type share struct{ hit, all int }

func (s *share) add(count int) {
	s.all++
	if count > 0 {
		s.hit++
	}
}

func (s share) String() string {
	if s.all == 0 {
		return "100.0 %"
	}
	return strconv.FormatFloat(float64(s.hit)*100/float64(s.all), 'f', 1, 64) + " %"
}

// shares are those of the lines and of the functions of files.
func shares(files ...*FileCoverage) (lines, functions share) {
	for _, f := range files {
		for _, l := range f.Lines {
			lines.add(l.Count)
		}
		for _, fn := range f.Functions {
			functions.add(fn.Count)
		}
	}
	return lines, functions
}

// coverageTable is the coverage for people, as lines; none if there is none.
func coverageTable(files []*FileCoverage) []string {
	if len(files) == 0 {
		return nil
	}
	row := func(name, missed string, files ...*FileCoverage) []string {
		lines, functions := shares(files...)
		return []string{name, lines.String(), functions.String(), missed}
	}
	var rows [][]string
	for _, f := range files {
		rows = append(rows, row(render.Clean(f.File), missedLines(f.Lines), f))
	}
	rows = append(rows, row("all files", "", files...))
	text := render.Table([]string{"coverage", "lines", "functions", "lines that did not run"}, rows, render.Style{})
	return strings.Split(strings.TrimRight(text, "\n"), "\n")
}

// missedLines lists the lines that did not run: "3-5, 9". A range has no line between that ran.
func missedLines(lines []LineCount) string {
	var parts []string
	for i := 0; i < len(lines); i++ {
		if lines[i].Count > 0 {
			continue
		}
		first := lines[i].Line
		for i+1 < len(lines) && lines[i+1].Count == 0 {
			i++
		}
		part := strconv.Itoa(first)
		if last := lines[i].Line; last > first {
			part += "-" + strconv.Itoa(last)
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}

// LCOV is coverage in the format of lcov's tracefiles (geninfo(1)).
func LCOV(files []*FileCoverage) []byte {
	var b strings.Builder
	for _, f := range files {
		lines, functions := shares(f)
		fmt.Fprintf(&b, "TN:\nSF:%s\n", render.Clean(f.File))
		var hits strings.Builder
		for _, fn := range f.Functions { // names have to be different
			name := fmt.Sprintf("%s:%d:%d", cmp.Or(render.Clean(fn.Name), "(anonymous)"), fn.Line, fn.Column)
			fmt.Fprintf(&b, "FN:%d,%s\n", fn.Line, name)
			fmt.Fprintf(&hits, "FNDA:%d,%s\n", fn.Count, name)
		}
		fmt.Fprintf(&b, "%sFNF:%d\nFNH:%d\n", hits.String(), functions.all, functions.hit)
		for _, l := range f.Lines {
			fmt.Fprintf(&b, "DA:%d,%d\n", l.Line, l.Count)
		}
		fmt.Fprintf(&b, "LF:%d\nLH:%d\nend_of_record\n", lines.all, lines.hit)
	}
	return []byte(b.String())
}
