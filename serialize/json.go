package serialize

import (
	"bytes"
	"errors"
	"hash/maphash"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// A jsonReader makes nodes of JSON text. Strictness (syntax, duplicate keys, UTF-8, depth) is jsontext's.
type jsonReader struct {
	doc   *document
	dec   *jsontext.Decoder
	nodes arena
	seen  interner
	buf   []byte // of unquoting

	parents []*node // that are open
}

// An interner makes strings of bytes, and gives out the same string again for most of those that repeat:
// keys, types, ids that are referred to.
type interner struct {
	seed  maphash.Seed
	cache [1 << 10]string // by hash
}

func (i *interner) string(b []byte) string {
	if len(b) == 0 || len(b) > 64 {
		return string(b)
	}
	slot := &i.cache[maphash.Bytes(i.seed, b)%uint64(len(i.cache))]
	if *slot != string(b) {
		*slot = string(b)
	}
	return *slot
}

func newJSONReader(doc *document) *jsonReader {
	return &jsonReader{
		doc: doc, dec: jsontext.NewDecoder(bytes.NewBuffer(doc.data)), seen: interner{seed: maphash.MakeSeed()},
	}
}

// value reads the next value and all that is in it.
func (r *jsonReader) value() (*node, error) {
	var root *node
	r.parents = r.parents[:0]
	var lasts []*node // the last child of each parent so far
	for {
		n := r.nodes.node()
		if depth := len(r.parents); depth > 0 && r.parents[depth-1].kind == nodeObject && r.dec.PeekKind() != '}' {
			raw, err := r.dec.ReadValue()
			if err != nil {
				return nil, r.syntax(err)
			}
			if n.name, err = r.text(raw); err != nil {
				return nil, err
			}
			n.keyPosition = r.start(raw)
		}
		opens, closes := false, false
		switch kind := r.dec.PeekKind(); kind {
		case '{', '[', '}', ']':
			if _, err := r.dec.ReadToken(); err != nil {
				return nil, r.syntax(err)
			}
			opens, closes = kind == '{' || kind == '[', kind == '}' || kind == ']'
			n.position = position(r.dec.InputOffset() - 1)
			n.kind = nodeArray
			if kind == '{' {
				n.kind = nodeObject
			}
		default:
			raw, err := r.dec.ReadValue()
			if err != nil {
				return nil, r.syntax(err)
			}
			n.position = r.start(raw)
			if err := r.scalar(n, raw); err != nil {
				return nil, err
			}
		}
		if closes {
			r.parents, lasts = r.parents[:len(r.parents)-1], lasts[:len(lasts)-1]
		} else {
			if depth := len(r.parents); depth > 0 {
				if p := r.parents[depth-1]; p.first == nil {
					p.first = n
				} else {
					lasts[depth-1].next = n
				}
				r.parents[depth-1].count++
				lasts[depth-1] = n
			} else {
				root = n
			}
			if opens && len(r.parents) >= r.doc.nesting() {
				return nil, r.doc.tooDeep(n.position)
			}
			if opens {
				r.parents, lasts = append(r.parents, n), append(lasts, nil)
			}
		}
		if len(r.parents) == 0 {
			return root, nil
		}
	}
}

// end checks that nothing but white space follows.
func (r *jsonReader) end() error {
	offset := r.dec.InputOffset()
	_, err := r.dec.ReadToken()
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return r.syntax(err)
	}
	return r.doc.errorf(position(offset), "", "more text after the end of the document")
}

func (r *jsonReader) start(raw jsontext.Value) position {
	return position(r.dec.InputOffset() - int64(len(raw)))
}

func (r *jsonReader) text(raw jsontext.Value) (string, error) {
	text, err := r.unquote(raw)
	if err != nil {
		return "", err
	}
	return r.seen.string(text), nil
}

func (r *jsonReader) unquote(raw jsontext.Value) ([]byte, error) {
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1], nil
	}
	text, err := jsontext.AppendUnquote(r.buf[:0], raw)
	if err != nil {
		return nil, r.doc.errorf(r.start(raw), "", "%s", reason(err))
	}
	r.buf = text
	return text, nil
}

func (r *jsonReader) scalar(n *node, raw jsontext.Value) error {
	switch raw.Kind() {
	case 'n':
		n.kind = nodeNull
	case 't', 'f':
		n.kind, n.boolean = nodeBool, raw[0] == 't'
	case '"':
		var err error
		n.kind = nodeString
		n.text, err = r.text(raw)
		return err
	default:
		n.kind = nodeNumber
		if v, ok := smallInteger(raw); ok {
			n.number = v
			return nil
		}
		v, err := strconv.ParseFloat(string(raw), 64)
		if err != nil {
			return r.doc.errorf(n.position, "", "number %s is out of range", shorten(string(raw)))
		}
		n.number = v
	}
	return nil
}

// smallInteger parses what most numbers are, without an allocation.
func smallInteger(raw []byte) (float64, bool) {
	if len(raw) > 15 || raw[0] == '-' {
		return 0, false
	}
	v := 0
	for _, c := range raw {
		if c < '0' || c > '9' {
			return 0, false
		}
		v = v*10 + int(c-'0')
	}
	return float64(v), true
}

// syntax turns an error of jsontext into one with line and column.
func (r *jsonReader) syntax(err error) error {
	var s *jsontext.SyntacticError
	switch {
	case errors.As(err, &s) && errors.Is(s.Err, io.ErrUnexpectedEOF), err == io.EOF, err == io.ErrUnexpectedEOF:
		return r.early()
	case !errors.As(err, &s):
		return r.doc.errorf(position(r.dec.InputOffset()), "", "%s", reason(err))
	case errors.Is(s.Err, jsontext.ErrDuplicateName):
		return r.doc.errorf(position(s.ByteOffset), "", "duplicate key %q", s.JSONPointer.LastToken())
	}
	if strings.Contains(s.Err.Error(), "max depth") {
		return r.doc.tooDeep(position(s.ByteOffset))
	}
	return r.doc.errorf(position(s.ByteOffset), "", "%s%s", reason(s.Err), advice(r.doc.data[min(int(s.ByteOffset), len(r.doc.data)):]))
}

// early is the error of a document that ends before it should.
func (r *jsonReader) early() error {
	end := position(len(r.doc.data))
	if len(bytes.TrimSpace(r.doc.data)) == 0 {
		return r.doc.errorf(0, "", "the document is empty")
	}
	if depth := len(r.parents); depth > 0 {
		open := r.parents[depth-1]
		bracket := "{"
		if open.kind == nodeArray {
			bracket = "["
		}
		line, column := r.doc.place(open.position)
		return r.doc.errorf(end, "", "the document ends too early: the %s of line %d, column %d is not closed", bracket, line, column)
	}
	return r.doc.errorf(end, "", "the document ends too early")
}

// advice says what to do about text that is wrong as JSON, where people get it wrong often.
func advice(rest []byte) string {
	switch after := bytes.TrimSpace(rest[min(1, len(rest)):]); {
	case len(rest) == 0:
		return ""
	case rest[0] == ',' && len(after) > 0 && (after[0] == '}' || after[0] == ']'):
		return "; take the comma before the closing bracket away"
	case rest[0] == '/' || rest[0] == '#':
		return "; JSON has no comments, YAML has"
	case rest[0] == '\'':
		return "; JSON has double quotes only"
	}
	return ""
}

func reason(err error) string {
	return strings.TrimPrefix(err.Error(), "jsontext: ")
}

// parseJSON reads a whole document.
func parseJSON(doc *document) (*node, error) {
	r := newJSONReader(doc)
	n, err := r.value()
	if err != nil {
		return nil, err
	}
	return n, r.end()
}
