package serialize

import (
	"slices"
	"strconv"
	"strings"

	"github.com/sextongc/sexton/objectstore"
)

// The fields of a header in the order in which they are written. What is zero is left out.
var headerFields = []string{
	"id", "type", "version", "name", "owner", "incarnation", "destroyed", "doomed", "protect",
	"notified", "completed", "failure", "dependencies",
}

// A header is the "?" of an object with the places of what other objects must agree with.
type header struct {
	id, class, owner *node // nil if absent
	subscribers      []*node
}

// label names an object in messages: "Network net-1".
func label(class, id string) string {
	if class == "" {
		return "object " + id
	}
	return strings.TrimSpace(class[strings.LastIndexByte(class, '/')+1:] + " " + id)
}

// header reads n, the "?" of an object, into e. Which ids and types are valid is for the caller. Keys in
// ignored are read past.
func (r *valueReader) header(n *node, e *objectstore.Entry, ignored []string) (header, error) {
	var h header
	if n.kind != nodeObject {
		return h, r.errorf(n.position, "a header must be an object")
	}
	h.id, h.class = n.member("id"), n.member("type")
	if h.id != nil && h.id.kind == nodeString && h.class != nil && h.class.kind == nodeString {
		r.object, r.trail = label(h.class.text, h.id.text), nil
	}
	notified := true
	for c := n.first; c != nil; c = c.next {
		var err error
		switch c.name {
		case "id":
			e.ID, err = r.headerText(c)
		case "type":
			e.Type, err = r.headerText(c)
		case "version":
			e.Version, err = r.headerText(c)
		case "name":
			e.Name, err = r.headerText(c)
		case "owner":
			h.owner = c
			e.Owner, err = r.headerText(c)
		case "incarnation":
			var i int
			i, err = r.headerCount(c)
			e.Incarnation = uint64(i)
		case "destroyed":
			e.Destroyed, err = r.headerFlag(c)
		case "doomed":
			e.Doomed, err = r.headerFlag(c)
		case "protect":
			e.Protect, err = r.headerFlag(c)
		case "notified":
			notified, err = r.headerFlag(c)
		case "completed":
			e.Completed, err = r.headerTexts(c)
		case "failure":
			e.Failure, err = r.headerText(c)
		case "dependencies":
			h.subscribers, err = r.dependencies(c, e)
		default:
			if !slices.Contains(ignored, c.name) && (ignored == nil || !strings.HasPrefix(c.name, "_")) {
				err = r.errorf(c.keyPosition, "unknown header field %q%s", c.name, DidYouMean(c.name, headerFields))
			}
		}
		if err != nil {
			return h, err
		}
	}
	e.Notified = e.Doomed && notified
	for _, name := range []string{"notified", "completed", "failure"} {
		if c := n.member(name); c != nil && !e.Doomed {
			return h, r.errorf(c.keyPosition, "header field %q: only of a doomed object", name)
		}
	}
	for i, s := range e.Subscriptions {
		if s.Told && (!e.Doomed || e.Notified) {
			return h, r.errorf(h.subscribers[i].position, `subscription of %q: "told" only of a doomed object with "notified": false`, s.Subscriber)
		}
	}
	return h, nil
}

func (r *valueReader) headerText(n *node) (string, error) {
	if n.kind != nodeString || n.text == "" {
		return "", r.errorf(n.position, "header field %q must be a text that is not empty", n.name)
	}
	return n.text, nil
}

func (r *valueReader) headerTexts(n *node) ([]string, error) {
	var list []string
	seen := map[string]bool{}
	for c := n.first; c != nil; c = c.next {
		if c.kind != nodeString || c.text == "" || seen[c.text] {
			return nil, r.errorf(c.position, "header field %q must be a list of different names", n.name)
		}
		seen[c.text] = true
		list = append(list, c.text)
	}
	if n.kind != nodeArray {
		return nil, r.errorf(n.position, "header field %q must be a list of different names", n.name)
	}
	return list, nil
}

func (r *valueReader) headerFlag(n *node) (bool, error) {
	if n.kind != nodeBool {
		return false, r.errorf(n.position, "header field %q must be true or false", n.name)
	}
	return n.boolean, nil
}

func (r *valueReader) headerCount(n *node) (int, error) {
	if n.kind != nodeNumber || !isInteger(n.number) || n.number < 1 {
		return 0, r.errorf(n.position, "header field %q must be a whole number of at least 1", n.name)
	}
	return int(n.number), nil
}

func (r *valueReader) dependencies(n *node, e *objectstore.Entry) ([]*node, error) {
	if n.kind != nodeObject {
		return nil, r.errorf(n.position, `header field "dependencies" must be an object`)
	}
	var subscribers []*node
	for c := n.first; c != nil; c = c.next {
		if c.name != "onDestruction" {
			return nil, r.errorf(c.keyPosition, "unknown kind of dependency %q%s", c.name,
				DidYouMean(c.name, []string{"onDestruction"}))
		}
		if c.kind != nodeArray {
			return nil, r.errorf(c.position, `header field "onDestruction" must be a list`)
		}
		for s := c.first; s != nil; s = s.next {
			subscriber, err := r.subscription(s, e)
			if err != nil {
				return nil, err
			}
			subscribers = append(subscribers, subscriber)
		}
	}
	return subscribers, r.uniqueSubscriptions(e.Subscriptions, subscribers)
}

func (r *valueReader) subscription(n *node, e *objectstore.Entry) (subscriber *node, err error) {
	if n.kind != nodeObject {
		return nil, r.errorf(n.position, "a subscription must be an object")
	}
	s := objectstore.Subscription{Count: 1}
	for c := n.first; c != nil && err == nil; c = c.next {
		switch c.name {
		case "subscriber":
			subscriber = c
			s.Subscriber, err = r.headerText(c)
		case "handler":
			if c.kind != nodeNull {
				s.Handler, err = r.headerText(c)
			}
		case "count":
			s.Count, err = r.headerCount(c)
		case "told":
			s.Told, err = r.headerFlag(c)
		default:
			err = r.errorf(c.keyPosition, "unknown field %q of a subscription%s", c.name,
				DidYouMean(c.name, []string{"subscriber", "handler", "count", "told"}))
		}
	}
	if err == nil && subscriber == nil {
		err = r.errorf(n.position, "a subscription needs a subscriber")
	}
	e.Subscriptions = append(e.Subscriptions, s)
	return subscriber, err
}

func (r *valueReader) uniqueSubscriptions(list []objectstore.Subscription, nodes []*node) error {
	if len(list) < 2 {
		return nil
	}
	type key struct{ subscriber, handler string }
	seen := make(map[key]struct{}, len(list))
	for i, s := range list {
		k := key{s.Subscriber, s.Handler}
		if _, dup := seen[k]; dup {
			return r.errorf(nodes[i].position, "duplicate subscription of %q: count them instead", s.Subscriber)
		}
		seen[k] = struct{}{}
	}
	return nil
}

// header writes the "?" of e. Fields that only doomed objects have are left out for others.
func (w *writer) header(e *objectstore.Entry) {
	if e.ID == "" || e.Type == "" {
		w.fail("an object needs an id and a type")
	}
	w.raw(`"?": { "id": `)
	w.string(e.ID)
	w.raw(`, "type": `)
	w.string(e.Type)
	w.optional("version", e.Version)
	w.optional("name", e.Name)
	w.optional("owner", e.Owner)
	if e.Incarnation > 0 {
		if e.Incarnation > maxInteger {
			w.fail("incarnation %d is too high", e.Incarnation)
		}
		w.raw(`, "incarnation": `)
		w.buf = strconv.AppendUint(w.buf, e.Incarnation, 10)
	}
	if e.Destroyed {
		w.raw(`, "destroyed": true`)
	}
	if e.Doomed {
		w.raw(`, "doomed": true`)
	}
	if e.Protect {
		w.raw(`, "protect": true`)
	}
	if e.Doomed {
		w.doomed(e)
	}
	if len(e.Subscriptions) > 0 {
		w.subscriptions(e.Subscriptions, e.Doomed && !e.Notified)
	}
	w.raw(" }")
}

func (w *writer) optional(field, text string) {
	if text != "" {
		w.raw(`, "` + field + `": `)
		w.string(text)
	}
}

func (w *writer) doomed(e *objectstore.Entry) {
	if !e.Notified {
		w.raw(`, "notified": false`)
	}
	if len(e.Completed) > 0 {
		w.raw(`, "completed": [ `)
		for i, name := range e.Completed {
			if i > 0 {
				w.raw(", ")
			}
			w.string(name)
		}
		w.raw(" ]")
	}
	w.optional("failure", e.Failure)
}

func (w *writer) subscriptions(list []objectstore.Subscription, telling bool) {
	w.raw(`, "dependencies": { "onDestruction": [ `)
	for i, s := range list {
		if s.Count < 1 || s.Count > maxInteger {
			w.fail("a subscription of %q is counted %d times", s.Subscriber, s.Count)
		}
		if w.exists != nil && !w.exists(s.Subscriber) {
			w.fail("the subscriber %q does not exist", s.Subscriber)
		}
		if i > 0 {
			w.raw(", ")
		}
		w.raw(`{ "subscriber": `)
		w.string(s.Subscriber)
		w.optional("handler", s.Handler)
		if s.Count > 1 {
			w.raw(`, "count": `)
			w.buf = strconv.AppendInt(w.buf, int64(s.Count), 10)
		}
		if s.Told && telling {
			w.raw(`, "told": true`)
		}
		w.raw(" }")
	}
	w.raw(" ] }")
}
