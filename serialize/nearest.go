package serialize

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// DidYouMean names the candidate that is closest to a misspelt name: `; did you mean "cidr"?`, or nothing
// where none is close. Of a name of one or two characters nothing is, but in another case.
func DidYouMean(name string, candidates []string) string {
	best, distance := "", allowance(name)+1
	for _, c := range candidates {
		if d := editDistance(strings.ToLower(name), strings.ToLower(c), distance); d < distance {
			best, distance = c, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// allowance is how many mistakes a name may have and still be taken for another one.
func allowance(name string) int {
	n := utf8.RuneCountInString(name)
	if n < 3 {
		return 0
	}
	return max(1, n/3)
}

// editDistance is the number of insertions, deletions, substitutions and transpositions of neighbours
// between a and b (optimal string alignment), or some number of at least limit if it is not below limit.
func editDistance(a, b string, limit int) int {
	s, t := []rune(a), []rune(b)
	if len(s)-len(t) >= limit || len(t)-len(s) >= limit || len(s) > 64 {
		return limit
	}
	before, last, row := make([]int, len(t)+1), make([]int, len(t)+1), make([]int, len(t)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(s); i++ {
		row[0] = i
		for j := 1; j <= len(t); j++ {
			cost := 1
			if s[i-1] == t[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		if slices.Min(row) >= limit {
			return limit
		}
		before, last, row = last, row, before
	}
	return last[len(t)]
}

// shorten cuts a text for a message.
func shorten(s string) string {
	const most = 40
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most]) + "…"
}
