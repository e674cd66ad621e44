package render

import (
	"strconv"
	"strings"
)

// maxExcerpt is how much of a source line is shown: sources may be minified.
const maxExcerpt = 160

// Excerpt shows a line of a source with a caret below a column (from 1, in characters):
//
//	12 |   subnet: "a"
//	   |           ^
//
// It is empty if the line is blank or the column is not in it.
func Excerpt(source string, line, column int, style Style) string {
	runes := []rune(strings.TrimRight(source, "\r\n"))
	if column < 1 || column > len(runes)+1 || strings.TrimSpace(string(runes)) == "" {
		return ""
	}
	at := column - 1
	if from := at - maxExcerpt/2; len(runes) > maxExcerpt && from > 0 {
		runes, at = append([]rune("…"), runes[from:]...), at-from+1
	}
	if len(runes) > maxExcerpt {
		runes = append(runes[:maxExcerpt:maxExcerpt], '…')
	}
	number := strconv.Itoa(line)
	var pad strings.Builder // tabs stay, so that the caret stands below its character
	for _, r := range runes[:at] {
		if r == '\t' {
			pad.WriteByte('\t')
		} else {
			pad.WriteByte(' ')
		}
	}
	gutter := strings.Repeat(" ", len(number))
	text := strings.ReplaceAll(Clean(strings.ReplaceAll(string(runes), "\t", "\x00")), `\x00`, "\t")
	return style.Paint(Faint, number+" |") + " " + text + "\n" +
		style.Paint(Faint, gutter+" |") + " " + pad.String() + style.Paint(Red, "^") + "\n"
}

// Line returns a line of a text (from 1), empty if there is none.
func Line(text string, n int) string {
	for i := 1; ; i++ {
		line, rest, more := strings.Cut(text, "\n")
		if i == n {
			return line
		}
		if !more {
			return ""
		}
		text = rest
	}
}
