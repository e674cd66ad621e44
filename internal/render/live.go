package render

import (
	"fmt"
	"io"
	"strings"
)

// Live is a few lines at the bottom of a terminal that are drawn again and again, below lines that stay.
// It is not safe for concurrent use. Errors of the writer are dropped: what cannot be shown is not shown.
type Live struct {
	W     io.Writer
	Width int // of the terminal; lines are cut to it
	drawn int // lines on the screen
}

// Draw replaces the lines.
func (l *Live) Draw(lines ...string) {
	var b strings.Builder
	l.erase(&b)
	for _, line := range lines {
		b.WriteString(Truncate(line, l.Width-1))
		b.WriteByte('\n')
	}
	l.drawn = len(lines)
	io.WriteString(l.W, b.String()) //nolint:errcheck // see above
}

// Clear removes the lines, so that what is written next stands where they were.
func (l *Live) Clear() {
	var b strings.Builder
	l.erase(&b)
	l.drawn = 0
	io.WriteString(l.W, b.String()) //nolint:errcheck // see above
}

func (l *Live) erase(b *strings.Builder) {
	if l.drawn > 0 {
		fmt.Fprintf(b, "\x1b[%dA\x1b[J", l.drawn)
	}
}
