package serialize

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/sextongc/sexton/objectstore"
)

const (
	formatVersion = 1
	digestPrefix  = "sha256:"
	snapshotFile  = "snapshot.json" // what messages call a snapshot
	flushSize     = 64 << 10
)

// EncodeSnapshot writes a graph in the canonical form of the package comment. Equal graphs give equal
// bytes. It refuses what DecodeSnapshot would not read: duplicate ids, dangling references, cycles of
// owners, text that is not UTF-8, values nested too deep. The error is an *Error without a position.
func EncodeSnapshot(g *objectstore.Graph) ([]byte, error) {
	w := writer{buf: make([]byte, 0, 256+192*len(g.Objects))}
	if err := w.snapshot(g, nil); err != nil {
		return nil, err
	}
	digest := digestOf(w.buf)
	w.raw(",\n  \"digest\": \"" + digest + "\" }\n")
	return w.buf, nil
}

// digestOf is the digest of the canonical document without a digest. body is that document up to the
// bracket that ends its objects.
func digestOf(body []byte) string {
	h := sha256.New()
	h.Write(body)
	h.Write([]byte(" }\n"))
	return digestPrefix + hex.EncodeToString(h.Sum(nil))
}

// snapshot writes everything that the digest covers. A flush, if there is one, takes the text away in
// pieces.
func (w *writer) snapshot(g *objectstore.Graph, flush func([]byte) error) error {
	ids, err := check(g)
	if err != nil {
		return err
	}
	w.exists = func(id string) bool { _, ok := ids[id]; return ok }
	w.depth = 2
	w.raw(fmt.Sprintf(`{ "sexton": %d`, formatVersion))
	w.optional("root", g.Root)
	w.raw(",\n  \"objects\": [")
	for i, e := range g.Objects {
		if i > 0 {
			w.raw(",")
		}
		w.raw("\n    ")
		w.entry(e, ",\n      ")
		if w.err != nil {
			return w.err
		}
		if flush != nil && len(w.buf) >= flushSize {
			if err := flush(w.buf); err != nil {
				return err
			}
			w.buf = w.buf[:0]
		}
	}
	if len(g.Objects) > 0 {
		w.raw(" ")
	}
	w.raw("]")
	if w.err != nil { // a root whose id is not valid text
		return w.err
	}
	if flush != nil {
		return flush(w.buf)
	}
	return nil
}

// check finds what is wrong with the ids and owners of a graph, and indexes it.
func check(g *objectstore.Graph) (map[string]int, error) {
	ids := make(map[string]int, len(g.Objects))
	for i, e := range g.Objects {
		if _, dup := ids[e.ID]; dup {
			return nil, &Error{Path: label(e.Type, e.ID), Msg: "duplicate id"}
		}
		ids[e.ID] = i
	}
	if _, ok := ids[g.Root]; !ok && g.Root != "" {
		return nil, &Error{Msg: fmt.Sprintf("the root %q is no object", g.Root)}
	}
	for _, e := range g.Objects {
		if _, ok := ids[e.Owner]; !ok && e.Owner != "" {
			return nil, &Error{Path: label(e.Type, e.ID), Msg: fmt.Sprintf("the owner %q does not exist", e.Owner)}
		}
	}
	if i := ownerCycle(g.Objects, func(id string) int { return ids[id] }); i >= 0 {
		return nil, &Error{Path: label(g.Objects[i].Type, g.Objects[i].ID), Msg: "the object owns itself through its owners"}
	}
	return ids, nil
}

// ownerCycle returns an object whose owners lead back to itself, -1 if there is none. index is negative for
// an owner that is not among the objects.
func ownerCycle(objects []*objectstore.Entry, index func(id string) int) int {
	// Each object is marked with the walk that came by first: a walk that meets its own mark is a cycle.
	walks := make([]int, len(objects))
	for i := range objects {
		for j := i; walks[j] == 0; {
			walks[j] = i + 1
			if objects[j].Owner == "" {
				break
			}
			if j = index(objects[j].Owner); j < 0 {
				break
			}
			if walks[j] == i+1 {
				return j
			}
		}
	}
	return -1
}

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
		name, err := r.name(raw)
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
		return r.doc.errorf(at, "", "unknown member %q%s", name, didYouMean(name, snapshotMembers))
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
