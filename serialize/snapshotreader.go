package serialize

import (
	"bytes"
	"strings"

	"github.com/sextongc/sexton/objectstore"
)

// DecodeSnapshot reads a snapshot. It is strict: what it accepts, EncodeSnapshot writes again byte for
// byte, and the digest is right. Everything else is an *Error with line and column and gives no graph.
func DecodeSnapshot(data []byte) (*objectstore.Graph, error) {
	doc := &document{file: snapshotFile, data: data}
	r := snapshotReader{
		jsonReader: newJSONReader(doc),
		ids:        make(map[string]int),
		pending:    make(map[string]int),
		graph:      &objectstore.Graph{},
	}
	r.entries.doc = doc
	r.entries.refer = r.refer
	if err := r.document(); err != nil {
		return nil, err
	}
	if err := r.verify(); err != nil {
		return nil, err
	}
	return r.graph, nil
}

type snapshotReader struct {
	*jsonReader
	entries entryReader
	graph   *objectstore.Graph
	ids     map[string]int
	offsets []int          // of each object's opening brace
	pending map[string]int // ids that were referred to before they stood: the first object that did
	strict  bool           // all ids are known by now

	version, root, objects bool // seen
	digest                 string
	digestAt               position
	rootAt                 position
}

func (r *snapshotReader) refer(id string, n *node) error {
	if _, ok := r.ids[id]; ok {
		return nil
	}
	if r.strict {
		return r.entries.errorf(n.position, "dangling reference %q: no object has this id", id)
	}
	if _, ok := r.pending[id]; !ok {
		r.pending[id] = len(r.graph.Objects)
	}
	return nil
}

// document walks the top level, so that only one object at a time exists as nodes.
func (r *snapshotReader) document() error {
	if r.dec.PeekKind() != '{' {
		n, err := r.value()
		if err != nil {
			return err
		}
		return r.doc.errorf(n.position, "", "a snapshot is an object")
	}
	if _, err := r.dec.ReadToken(); err != nil {
		return r.syntax(err)
	}
	for r.dec.PeekKind() != '}' {
		raw, err := r.dec.ReadValue()
		if err != nil {
			return r.syntax(err)
		}
		at := r.start(raw)
		name, err := r.text(raw)
		if err != nil {
			return err
		}
		if err := r.member(name, at); err != nil {
			return err
		}
	}
	if _, err := r.dec.ReadToken(); err != nil {
		return r.syntax(err)
	}
	return r.end()
}

func (r *snapshotReader) member(name string, at position) error {
	if name == "objects" && r.dec.PeekKind() == '[' {
		return r.list()
	}
	r.nodes.reset()
	n, err := r.value()
	if err != nil {
		return err
	}
	switch name {
	case "sexton":
		r.version = true
		return checkVersion(r.doc, n)
	case "root":
		r.rootAt, r.root, r.graph.Root = n.position, true, n.text
		if n.kind != nodeString || n.text == "" {
			return r.doc.errorf(n.position, "", "root must be the id of an object")
		}
	case "objects":
		return r.doc.errorf(n.position, "", "objects must be a list")
	case "digest":
		r.digest, r.digestAt = n.text, n.position
		if n.kind != nodeString || !strings.HasPrefix(n.text, digestPrefix) {
			return r.doc.errorf(n.position, "", "the digest must begin with %q", digestPrefix)
		}
	default:
		return r.doc.errorf(at, "", "unknown member %q%s", name, DidYouMean(name, snapshotMembers))
	}
	return nil
}

var snapshotMembers = []string{"sexton", "root", "objects", "digest"}

func checkVersion(doc *document, n *node) error {
	switch {
	case n.kind != nodeNumber || !isInteger(n.number) || n.number < 1:
		return doc.errorf(n.position, "", "sexton must be the version of the format, %d", formatVersion)
	case n.number > formatVersion:
		return doc.errorf(n.position, "",
			"this document has version %v of the format, and this program knows version %d: use a newer sexton",
			n.number, formatVersion)
	}
	return nil
}

func (r *snapshotReader) list() error {
	r.objects = true
	if _, err := r.dec.ReadToken(); err != nil {
		return r.syntax(err)
	}
	for r.dec.PeekKind() != ']' {
		r.nodes.reset()
		n, err := r.value()
		if err != nil {
			return err
		}
		e, err := r.entries.entry(n)
		if err != nil {
			return err
		}
		if first, dup := r.ids[e.ID]; dup {
			return r.entries.errorf(n.member(headerKey).member("id").position, "duplicate id %q: the first one is at %s",
				e.ID, r.doc.describe(position(r.offsets[first])))
		}
		r.ids[e.ID] = len(r.graph.Objects)
		r.graph.Objects = append(r.graph.Objects, e)
		r.offsets = append(r.offsets, int(n.position))
	}
	if _, err := r.dec.ReadToken(); err != nil {
		return r.syntax(err)
	}
	return nil
}

// verify checks what needs the whole document.
func (r *snapshotReader) verify() error {
	missing := func(what string) error {
		return r.doc.errorf(position(len(r.doc.data)), "", "the snapshot has no %s", what)
	}
	switch {
	case !r.version:
		return missing("version (sexton)")
	case !r.objects:
		return missing("objects")
	case r.digest == "":
		return missing("digest")
	}
	if _, ok := r.ids[r.graph.Root]; r.root && !ok {
		return r.doc.errorf(r.rootAt, "", "the root %q is no object", r.graph.Root)
	}
	if err := r.dangling(); err != nil {
		return err
	}
	if i := ownerCycle(r.graph.Objects, func(id string) int { return r.ids[id] }); i >= 0 {
		e := r.graph.Objects[i]
		return r.doc.errorf(position(r.offsets[i]), label(e.Type, e.ID), "the object owns itself through its owners")
	}
	return r.canonical()
}

// dangling finds the first object with a reference that leads nowhere, and reads it again to say where.
func (r *snapshotReader) dangling() error {
	first := -1
	for id, i := range r.pending {
		if _, ok := r.ids[id]; !ok && (first < 0 || i < first) {
			first = i
		}
	}
	if first < 0 {
		return nil
	}
	r.strict = true
	again := newJSONReader(&document{data: r.doc.data[r.offsets[first]:]})
	n, err := again.value()
	if err == nil {
		shift(n, position(r.offsets[first]))
		_, err = r.entries.entry(n)
	}
	return err
}

// shift moves the positions of a tree of nodes.
func shift(n *node, by position) {
	n.position += by
	n.keyPosition += by
	for c := n.first; c != nil; c = c.next {
		shift(c, by)
	}
}

// canonical checks that the document is what EncodeSnapshot writes, and the digest with it.
func (r *snapshotReader) canonical() error {
	rest := r.doc.data
	differs := func(text []byte) error {
		if bytes.HasPrefix(rest, text) {
			rest = rest[len(text):]
			return nil
		}
		at := len(r.doc.data) - len(rest)
		for i := 0; i < min(len(text), len(rest)) && text[i] == rest[i]; i++ {
			at++
		}
		return r.doc.errorf(position(at), "", "the digest does not hold: the text differs from what was written, here at the latest")
	}
	w := writer{buf: make([]byte, 0, 2*flushSize)}
	if err := w.snapshot(r.graph, differs); err != nil {
		return err
	}
	body := r.doc.data[:len(r.doc.data)-len(rest)]
	if digest := digestOf(body); digest != r.digest {
		return r.doc.errorf(r.digestAt, "", "wrong digest: the snapshot was changed after it was written")
	}
	if err := differs([]byte(",\n  \"digest\": \"" + r.digest + "\" }\n")); err != nil || len(rest) == 0 {
		return err
	}
	return r.doc.errorf(position(len(r.doc.data)-len(rest)), "", "more text after the end of the snapshot")
}
