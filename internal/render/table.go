package render

import (
	"strings"
	"unicode/utf8"
)

// Table sets rows in columns that are as wide as their widest cell, two spaces apart, below a faint
// header. The last column is not padded. Rows may be shorter than the header, not longer.
func Table(header []string, rows [][]string, style Style) string {
	widths := make([]int, len(header))
	for _, row := range append([][]string{header}, rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	line := func(row []string, c Colour) {
		var l strings.Builder
		for i, cell := range row {
			l.WriteString(cell)
			if i < len(row)-1 {
				l.WriteString(strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+2))
			}
		}
		b.WriteString(style.Paint(c, strings.TrimRight(l.String(), " ")) + "\n")
	}
	line(header, Faint)
	for _, row := range rows {
		line(row, "")
	}
	return b.String()
}
