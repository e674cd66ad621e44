package serialize

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"sync"
	"time"

	"github.com/sextongc/sexton/objectstore"
)

const (
	maxTime = 8.64e15 // milliseconds: the range of a JavaScript Date
	iso     = "2006-01-02T15:04:05.000Z"
)

// validTime reports whether a Date can hold these milliseconds.
func validTime(ms float64) bool { return ms == math.Trunc(ms) && math.Abs(ms) <= maxTime }

// appendDate writes a valid date as Date.prototype.toISOString does.
func appendDate(b []byte, d objectstore.Date) []byte {
	t := time.UnixMilli(int64(d)).UTC()
	if y := t.Year(); y < 0 || y > 9999 {
		sign := '+'
		if y < 0 {
			sign, y = '-', -y
		}
		b = fmt.Appendf(b, "%c%06d", sign, y)
		return t.AppendFormat(b, iso[4:])
	}
	return t.AppendFormat(b, iso)
}

var isoForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(\d{4}|[+-]\d{6})(-\d\d-\d\d)(T\d\d:\d\d(:\d\d(?:\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$`)
})

// parseDate reads ISO 8601: a day (UTC), or a day and a time with a zone. A time without one would mean
// another instant on each machine.
func parseDate(s string) (objectstore.Date, bool) {
	m := isoForm().FindStringSubmatch(s)
	if m == nil || m[1] == "-000000" {
		return 0, false
	}
	year, err := strconv.Atoi(m[1])
	if err != nil {
		return 0, false
	}
	// Package time reads years of four digits: take one with the same calendar.
	like := year
	if len(m[1]) > 4 {
		like = 2000 + (year%400+400)%400
	}
	rest := m[3]
	switch {
	case rest == "":
		rest = "T00:00:00Z"
	case m[4] == "":
		rest = rest[:6] + ":00" + m[5]
	}
	t, err := time.Parse(time.RFC3339Nano, fmt.Sprintf("%04d%s%s", like, m[2], rest))
	if err != nil {
		return 0, false
	}
	const days400 = 146_097
	ms := float64(t.UnixMilli()) + float64((year-like)/400)*days400*86_400_000
	return objectstore.Date(ms), validTime(ms)
}
