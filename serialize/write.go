package serialize

import (
	"encoding/base64"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/sextongc/sexton/objectstore"
)

// A writer writes the canonical form. It appends to buf; the first fault sticks in err.
type writer struct {
	buf   []byte
	depth int // of open brackets, counted as in a snapshot
	err   error

	object string // for messages
	trail  trail
	exists func(id string) bool // nil: references are not looked at
}

func (w *writer) fail(format string, args ...any) {
	if w.err == nil {
		path := w.object
		if len(w.trail) > 0 {
			path += ": property " + w.trail.String()
		}
		w.err = &Error{Path: path, Msg: fmt.Sprintf(format, args...)}
	}
}

func (w *writer) raw(s string) { w.buf = append(w.buf, s...) }

func (w *writer) string(s string) {
	b, err := jsontext.AppendQuote(w.buf, s)
	if err != nil {
		w.fail("the text %q is not valid UTF-8", shorten(s))
	}
	w.buf = b
}

// open and close write the brackets of an array or object that has elements.
func (w *writer) open(bracket string) bool {
	if w.depth >= maxDepth {
		w.fail("nested deeper than 10,000 levels")
		return false
	}
	w.depth++
	w.raw(bracket)
	return true
}

func (w *writer) close(bracket string) {
	w.depth--
	w.raw(bracket)
}

// key writes `"name": `, with the second $ that a plain key needs.
func (w *writer) key(name string) {
	if strings.HasPrefix(name, "$") || name == headerKey {
		name = "$" + name
	}
	w.string(name)
	w.raw(": ")
}

// value writes v on one line: `[ 1, 2 ]`, `{ "a": 1 }`, `[]`, `{}`. It recurses at most maxDepth deep.
func (w *writer) value(v objectstore.Value) {
	if w.err != nil {
		return
	}
	switch v := v.(type) {
	case nil:
		w.raw("null")
	case bool:
		w.buf = strconv.AppendBool(w.buf, v)
	case float64:
		w.number(v)
	case string:
		w.string(v)
	case []objectstore.Value:
		w.list(v)
	case *objectstore.Record:
		w.record(v)
	default:
		w.tagged(v)
	}
}

func (w *writer) number(v float64) {
	switch {
	case math.IsNaN(v):
		w.raw(`{ "$number": "NaN" }`)
	case math.IsInf(v, 1):
		w.raw(`{ "$number": "Infinity" }`)
	case math.IsInf(v, -1):
		w.raw(`{ "$number": "-Infinity" }`)
	case v == 0 && math.Signbit(v):
		w.raw(`{ "$number": "-0" }`)
	default:
		w.buf = appendNumber(w.buf, v)
	}
}

// appendNumber writes a finite number as ECMAScript's Number::toString does (RFC 8785, 3.2.2.3).
func appendNumber(b []byte, v float64) []byte {
	abs := math.Abs(v)
	if abs < 1<<53 && abs == math.Trunc(abs) {
		return strconv.AppendInt(b, int64(v), 10)
	}
	if abs >= 1e-6 && abs < 1e21 {
		return strconv.AppendFloat(b, v, 'f', -1, 64)
	}
	b = strconv.AppendFloat(b, v, 'e', -1, 64)
	if n := len(b); b[n-4] == 'e' && b[n-2] == '0' { // 1e-07: JavaScript writes 1e-7
		b[n-2] = b[n-1]
		b = b[:n-1]
	}
	return b
}

func (w *writer) list(list []objectstore.Value) {
	if len(list) == 0 {
		w.empty("[]")
		return
	}
	if !w.open("[ ") {
		return
	}
	for i, e := range list {
		if i > 0 {
			w.raw(", ")
		}
		w.trail.index(i)
		w.value(e)
		w.trail.pop()
	}
	w.close(" ]")
}

// empty writes brackets around nothing: a level like any other.
func (w *writer) empty(brackets string) {
	if w.open(brackets) {
		w.depth--
	}
}

func (w *writer) record(r *objectstore.Record) {
	if len(r.Fields) == 0 {
		w.empty("{}")
		return
	}
	if !w.open("{ ") {
		return
	}
	for i, f := range r.Fields {
		if i > 0 {
			w.raw(", ")
		}
		w.trail.field(f.Name)
		w.key(f.Name)
		w.value(f.Value)
		w.trail.pop()
	}
	w.uniqueKeys(len(r.Fields), func(i int) string { return r.Fields[i].Name })
	w.close(" }")
}

// uniqueKeys fails on a key that stands twice: what it wrote could not be read.
func (w *writer) uniqueKeys(n int, key func(int) string) {
	if n <= 16 {
		for i := 1; i < n; i++ {
			for j := range i {
				if key(i) == key(j) {
					w.fail("duplicate key %q", key(i))
				}
			}
		}
		return
	}
	seen := make(map[string]struct{}, n)
	for i := range n {
		if _, dup := seen[key(i)]; dup {
			w.fail("duplicate key %q", key(i))
		}
		seen[key(i)] = struct{}{}
	}
}

func (w *writer) tagged(v objectstore.Value) {
	if !w.open("{ ") {
		return
	}
	switch v := v.(type) {
	case objectstore.Ref:
		if w.exists != nil && !w.exists(string(v)) {
			w.fail("dangling reference %q", string(v))
		}
		w.raw(`"$ref": `)
		w.string(string(v))
	case objectstore.Secret:
		w.raw(`"` + tagSecret + `": `)
		w.string(string(v))
	case objectstore.Sealed:
		w.raw(`"` + tagSealed + `": `)
		w.string(string(v))
	case objectstore.Undefined:
		w.raw(`"$undefined": true`)
	case objectstore.Date:
		w.raw(`"$date": `)
		switch {
		case math.IsNaN(float64(v)):
			w.raw("null")
		case !validTime(float64(v)):
			w.fail("no Date holds %v", float64(v))
		default:
			w.raw(`"`)
			w.buf = append(appendDate(w.buf, v), '"')
		}
	case objectstore.Bytes:
		w.raw(`"$bytes": "`)
		w.buf = append(base64.StdEncoding.AppendEncode(w.buf, v), '"')
	case *big.Int:
		// Four bits are more than a digit: what is longer has more digits without counting them.
		if v.BitLen()/4 > maxDigits || len(v.Text(10)) > maxDigits {
			w.fail("a BigInt of more than 100,000 digits cannot be saved")
			return
		}
		w.raw(`"$bigint": "`)
		w.buf = append(v.Append(w.buf, 10), '"')
	case *objectstore.Map:
		w.raw(`"$map": `)
		pairs := make([]objectstore.Value, len(v.Entries))
		for i, e := range v.Entries {
			pairs[i] = []objectstore.Value{e.Key, e.Value}
		}
		w.list(pairs)
	case *objectstore.Set:
		w.raw(`"$set": `)
		w.list(v.Items)
	default:
		w.fail("%T cannot be saved", v)
	}
	w.close(" }")
}
