package serialize

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

// parseYAML reads a document of one YAML stream. Values are those of JSON: a date that is not in quotes is
// a string, keys are strings, tags other than the standard ones are errors. Aliases and merge keys are
// resolved; what they may multiply is bounded.
func parseYAML(doc *document) (n *node, err error) {
	defer func() {
		// The parser of package yaml panics where it meets an event that it does not expect.
		if p := recover(); p != nil {
			n, err = nil, doc.errorf(yamlPosition(1, 1), "", "%v", p)
		}
	}()
	lines := &lineReader{rest: doc.data}
	dec := yaml.NewDecoder(lines)
	var tree, more yaml.Node
	if err := dec.Decode(&tree); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, doc.errorf(yamlPosition(1, 1), "", "the document is empty")
		}
		return nil, yamlError(doc, err, lines.read)
	}
	switch err := dec.Decode(&more); {
	case err == nil:
		return nil, doc.errorf(yamlPosition(more.Line, more.Column), "", "more than one document")
	case !errors.Is(err, io.EOF):
		return nil, yamlError(doc, err, lines.read)
	}
	r := yamlReader{doc: doc, budget: 1000 + 100*len(doc.data), open: make(map[*yaml.Node]bool)}
	return r.node(tree.Content[0], 1)
}

func yamlPosition(line, column int) position { return position(line)<<32 | position(column) }

var yamlLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^yaml: (?:line (\d+): )?`) })

// lineReader reads a line at a time, and counts: a parser that fails has not read far beyond the fault.
type lineReader struct {
	rest []byte
	read int
}

func (l *lineReader) Read(p []byte) (int, error) {
	if len(l.rest) == 0 {
		return 0, io.EOF
	}
	line := l.rest
	if i := bytes.IndexByte(line, '\n'); i >= 0 {
		line = line[:i+1]
	}
	n := copy(p, line)
	if l.rest = l.rest[n:]; n == len(line) {
		l.read++
	}
	return n, nil
}

var yamlAlias = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^unknown anchor '(.*)' referenced$`) })

// yamlError finds the line in an error of package yaml, which has no other place for it, and says what
// to look at. read is how many lines the parser has read.
func yamlError(doc *document, err error, read int) error {
	msg := err.Error()
	line := 1
	if m := yamlLine().FindStringSubmatch(msg); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil {
			line = n
		}
		msg = msg[len(m[0]):]
	}
	if strings.Contains(msg, "exceeded max depth") {
		return doc.tooDeep(yamlPosition(line, 1))
	}
	text := func(line int) string {
		if all := strings.Split(string(doc.data), "\n"); line >= 1 && line <= len(all) {
			return all[line-1]
		}
		return ""
	}
	switch alias := yamlAlias().FindStringSubmatch(msg); {
	case alias != nil:
		before, _, _ := strings.Cut(string(doc.data), "*"+alias[1])
		line = strings.Count(before, "\n") + 1
	case strings.HasPrefix(msg, "did not find expected") && read > line:
		// Its line is that before the beginning of what is wrong somewhere up to the last line that was read.
		msg += ", in what begins in line " + strconv.Itoa(line+1) + " and goes wrong here or just before: look at indentation, brackets and quotes"
		line = read
	case msg == "found character that cannot start any token" && strings.HasPrefix(strings.TrimLeft(text(line), " "), "\t"):
		msg = "a tab: YAML is indented with spaces"
	case msg == "found character that cannot start any token":
		msg += ": put the text in quotes"
	case msg == "found unexpected end of stream":
		msg = "the document ends too early: a quote is not closed"
	case msg == "mapping values are not allowed in this context":
		msg += ": look at the indentation; a text with a colon and a space in it needs quotes"
	}
	return doc.errorf(yamlPosition(line, 1), "", "%s", msg)
}

type yamlReader struct {
	doc    *document
	nodes  arena
	budget int                 // nodes that may still be made: aliases of aliases grow exponentially
	open   map[*yaml.Node]bool // anchors that an alias is expanding
}

func (r *yamlReader) errorf(y *yaml.Node, format string, args ...any) error {
	return r.doc.errorf(yamlPosition(y.Line, y.Column), "", format, args...)
}

func (r *yamlReader) node(y *yaml.Node, depth int) (*node, error) {
	if depth > r.doc.nesting() {
		return nil, r.doc.tooDeep(yamlPosition(y.Line, y.Column))
	}
	if r.budget--; r.budget < 0 {
		return nil, r.errorf(y, "the aliases of the document make it too large")
	}
	if y.Kind == yaml.AliasNode {
		if r.open[y.Alias] {
			return nil, r.errorf(y, "the anchor %q contains itself", y.Value)
		}
		r.open[y.Alias] = true
		n, err := r.node(y.Alias, depth+1)
		delete(r.open, y.Alias)
		return n, err
	}
	n := r.nodes.node()
	n.position = yamlPosition(y.Line, y.Column)
	switch y.Kind {
	case yaml.SequenceNode:
		n.kind = nodeArray
		var last *node
		for _, e := range y.Content {
			c, err := r.node(e, depth+1)
			if err != nil {
				return nil, err
			}
			last = n.add(last, c)
		}
		return n, r.tag(y, "!!seq")
	case yaml.MappingNode:
		n.kind = nodeObject
		if err := r.tag(y, "!!map"); err != nil {
			return nil, err
		}
		return n, r.mapping(n, y, depth)
	case yaml.ScalarNode:
		return n, r.scalar(n, y)
	}
	return nil, r.errorf(y, "unexpected YAML node")
}

// add links c behind last, the last child so far, and returns c.
func (n *node) add(last, c *node) *node {
	if last == nil {
		n.first = c
	} else {
		last.next = c
	}
	n.count++
	return c
}

func (r *yamlReader) tag(y *yaml.Node, want string) error {
	if tag := y.ShortTag(); tag != want {
		return r.errorf(y, "unknown YAML tag %s", tag)
	}
	return nil
}

func (r *yamlReader) mapping(n *node, y *yaml.Node, depth int) error {
	seen := make(map[string]bool, len(y.Content)/2)
	var last *node
	var merged []*yaml.Node
	for i := 0; i+1 < len(y.Content); i += 2 {
		k, v := y.Content[i], y.Content[i+1]
		if k.Kind == yaml.AliasNode {
			k = k.Alias
		}
		if k.Kind == yaml.ScalarNode && k.ShortTag() == "!!merge" {
			merged = append(merged, v)
			continue
		}
		if k.Kind != yaml.ScalarNode {
			return r.errorf(k, "a key must be a text")
		}
		if seen[k.Value] {
			return r.errorf(k, "duplicate key %q", k.Value)
		}
		seen[k.Value] = true
		c, err := r.node(v, depth+1)
		if err != nil {
			return err
		}
		c.name, c.keyPosition = k.Value, yamlPosition(k.Line, k.Column)
		last = n.add(last, c)
	}
	for _, v := range merged {
		if err := r.merge(n, &last, v, seen, depth); err != nil {
			return err
		}
	}
	return nil
}

// merge adds what a merge key (<<) brings and the mapping does not have itself.
func (r *yamlReader) merge(n *node, last **node, y *yaml.Node, seen map[string]bool, depth int) error {
	from, err := r.node(y, depth+1)
	if err != nil {
		return err
	}
	sources := from
	if from.kind == nodeArray {
		sources = from.first
	}
	for s := sources; s != nil; s = s.next {
		if s.kind != nodeObject {
			return r.errorf(y, "a merge key takes a mapping or a list of mappings")
		}
		for c := s.first; c != nil; {
			next := c.next
			if !seen[c.name] {
				seen[c.name] = true
				c.next = nil
				*last = n.add(*last, c)
			}
			c = next
		}
	}
	return nil
}

func (r *yamlReader) scalar(n *node, y *yaml.Node) error {
	switch tag := y.ShortTag(); tag {
	case "!!null":
		n.kind = nodeNull
	case "!!bool":
		n.kind = nodeBool
		if err := y.Decode(&n.boolean); err != nil {
			return r.errorf(y, "%s is neither true nor false", shorten(y.Value))
		}
	case "!!int", "!!float":
		n.kind = nodeNumber
		if err := y.Decode(&n.number); err != nil {
			return r.errorf(y, "%s is no number", shorten(y.Value))
		}
		if math.IsInf(n.number, 0) && !strings.Contains(strings.ToLower(y.Value), "inf") {
			return r.errorf(y, "number %s is out of range", shorten(y.Value))
		}
	case "!!str", "!!timestamp":
		n.kind, n.text = nodeString, y.Value
	case "!!binary":
		text := strings.Join(strings.Fields(y.Value), "")
		if _, err := base64.StdEncoding.DecodeString(text); err != nil {
			return r.errorf(y, "!!binary must be base64")
		}
		c := r.nodes.node()
		*c = node{kind: nodeString, position: n.position, text: text, name: tagBytes, keyPosition: n.position}
		n.kind = nodeObject
		n.add(nil, c)
	default:
		return r.errorf(y, "unknown YAML tag %s", tag)
	}
	return nil
}

// isYAML chooses the format by the extension.
func isYAML(file string) bool {
	name := strings.ToLower(file)
	return strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")
}
