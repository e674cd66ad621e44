package vmguard

import "github.com/dop251/goja"

func (g *guard) json() error {
	if err := g.call(g.parse, "JSON.parse"); err != nil {
		return err
	}
	return g.call(g.stringify, "JSON.stringify")
}

func (g *guard) parse(name string, call *goja.FunctionCall) {
	v := call.Argument(0)
	if o, ok := v.(*goja.Object); ok {
		v = g.text(o)
		call.Arguments = set(call.Arguments, 0, v)
	}
	s, ok := v.(goja.String)
	if !ok || s.Length() <= g.Nesting && int64(s.Length()) <= g.Items {
		return
	}
	text := s.String()
	depth, values, quoted := 0, int64(1), false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case quoted && c == '\\':
			i++
		case quoted:
		case c == '[' || c == '{':
			values++
			if depth++; depth > g.Nesting {
				g.exceeded(Nesting, "%s gets more than %d nested brackets", name, g.Nesting)
			}
		case c == ']' || c == '}':
			depth--
		case c == ',':
			values++
		}
	}
	g.items(name, values)
}

// stringify goes through a value as JSON.stringify will, but runs no code: what getters, proxies and toJSON make is
// not seen. Data that is referred to twice counts twice.
func (g *guard) stringify(name string, call *goja.FunctionCall) {
	root, ok := call.Argument(0).(*goja.Object)
	if !ok {
		return
	}
	type visit struct {
		object *goja.Object
		depth  int
	}
	var few [32]visit
	pending := append(few[:0], visit{root, 1})
	count, deep := int64(0), 0
	for len(pending) > 0 {
		v := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		if v.depth > g.Nesting {
			deep++
			break
		}
		if values := g.l.dense(v.object); values != nil {
			count += int64(len(values))
			for _, value := range values {
				if o, ok := value.(*goja.Object); ok {
					pending = append(pending, visit{o, v.depth + 1})
				}
			}
		} else {
			members := g.l.members(v.object)
			count += int64(len(members))
			for _, value := range members {
				if o, ok := value.(*goja.Object); ok {
					pending = append(pending, visit{o, v.depth + 1})
				}
			}
		}
		if count > Steps {
			g.steps(name, count, Steps)
		}
	}
	if deep > 0 && !g.cyclic(root) {
		g.exceeded(Nesting, "%s gets more than %d levels of data", name, g.Nesting)
	}
}

// cyclic reports whether plain data holds itself: JSON.stringify says so.
func (g *guard) cyclic(root *goja.Object) bool {
	const open, done = 1, 2
	state := map[*goja.Object]int{}
	pending := []*goja.Object{root}
	for len(pending) > 0 {
		o := pending[len(pending)-1]
		if state[o] != 0 { // all that is in it has been looked at
			state[o] = done
			pending = pending[:len(pending)-1]
			continue
		}
		state[o] = open
		follow := func(v goja.Value) bool {
			inner, ok := v.(*goja.Object)
			if ok && state[inner] == 0 {
				pending = append(pending, inner)
			}
			return ok && state[inner] == open
		}
		for _, v := range g.l.dense(o) {
			if follow(v) {
				return true
			}
		}
		for _, v := range g.l.members(o) {
			if follow(v) {
				return true
			}
		}
	}
	return false
}
