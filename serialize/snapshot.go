package serialize

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/sextongc/sexton/objectstore"
)

const (
	formatVersion = 1
	digestPrefix  = "sha256:"
	snapshotFile  = "snapshot.json" // what messages call one
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
