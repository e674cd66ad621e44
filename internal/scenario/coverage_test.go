package scenario

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton/runtime"
)

func TestCoverageAddsUp(t *testing.T) {
	c := coverage{}
	of := func(counts ...int) []runtime.Covered {
		f := runtime.Covered{File: "b.ts", Functions: []runtime.Counter{{Line: 2, Column: 3, Name: "f", Count: counts[0]}}}
		for i, n := range counts {
			f.Statements = append(f.Statements, runtime.Counter{Line: 1 + i/2, Column: 1 + i, Count: n})
		}
		return []runtime.Covered{f, {File: "a.ts", Statements: []runtime.Counter{{Line: 9, Column: 1}}}}
	}
	c.add(of(0, 1, 2, 0))
	c.add(of(0, 3, 0, 0))
	require.Equal(t, []*FileCoverage{
		{File: "a.ts", Lines: []LineCount{{9, 0}}, Functions: []FunctionHit{}},
		{File: "b.ts", Lines: []LineCount{{1, 4}, {2, 2}}, Functions: []FunctionHit{{"f", 2, 3, 0}}},
	}, c.files())
	require.Equal(t, []string{
		"coverage   lines    functions  lines that did not run",
		"a.ts       0.0 %    100.0 %    9",
		"b.ts       100.0 %  0.0 %",
		"all files  66.7 %   0.0 %",
	}, coverageTable(c.files()))
	require.Empty(t, coverageTable(nil))
}

func TestMissedLines(t *testing.T) {
	var lines []LineCount
	for line, count := range []int{1, 0, 0, 2, 0, 1, 0, 0, 0} {
		lines = append(lines, LineCount{10 * line, count})
	}
	require.Equal(t, "10-20, 40, 60-80", missedLines(lines))
}

func TestIsCovered(t *testing.T) {
	for file, want := range map[string]bool{
		"index.ts": true, "lib/a.js": true, "a.test.ts": false, "../other/index.js": false,
		"node_modules/x/index.js": false, "lib/node_modules/x.js": false,
	} {
		require.Equal(t, want, isCovered(file), file)
	}
}
