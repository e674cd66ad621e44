package proof

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton"
)

// promises checks what Sexton promises over all deployments of one environment, whatever became of them in
// between. It sees what the outside sees, and what the state holds when nothing runs:
//
//	P1  no object is lost that may have changed the outside
//	P2  nothing is destroyed that the state holds as live
//	P3  what goes before an object is durably gone before the object's destruction begins
//	P4  who subscribed is told before the first destruction, and not again once that is recorded
//	P5  every attempt at an object has the same token, and its end is recorded once
//	P6  the state is one that the deployment went through, no older than what it relied on
//	P9  what is destroyed stays so: none of its methods runs again, and no number is given out twice
type promises struct {
	key     string           // of the environment
	outside map[object1]bool // what exists there
	begun   map[object1]bool // destruction
	told    map[object1]bool // all subscribers, on record
	ended   map[object1]bool // on record
	tokens  map[string]object1
	ids     map[uint64]string // by incarnation
	known   map[object1]bool  // not destroyed, when the state was looked at last
}

// object1 is one object among all that had its id.
type object1 struct {
	id          string
	incarnation uint64
}

// happening is a line of what happened, and when: after how many operations of the disk.
type happening struct {
	text   string
	at     int
	object object1 // whose destruction, or what is announced
	self   object1 // whose method runs
	token  string
}

func newPromises() *promises {
	return &promises{
		outside: map[object1]bool{}, begun: map[object1]bool{}, told: map[object1]bool{}, ended: map[object1]bool{},
		tokens: map[string]object1{}, ids: map[uint64]string{}, known: map[object1]bool{},
	}
}

func (p *promises) clone() *promises {
	return &promises{
		key: p.key, outside: maps.Clone(p.outside), begun: maps.Clone(p.begun), told: maps.Clone(p.told), ended: maps.Clone(p.ended),
		tokens: maps.Clone(p.tokens), ids: maps.Clone(p.ids), known: maps.Clone(p.known),
	}
}

// happened goes through what happened until a deployment ended, or until the crash.
func (p *promises) happened(t require.TestingT, events []happening) {
	for _, e := range events {
		if e.token != "" { // P5
			require.Equal(t, tokenOf(p.key, e.self), e.token, "P5: %s: another token", e.text)
			of, taken := p.tokens[e.token]
			require.True(t, !taken || of == e.self, "P5: %s: the token of %v", e.text, of)
			p.tokens[e.token] = e.self
		}
		if e.self.id != "" {
			require.False(t, p.ended[e.self], "P9: %s, which is destroyed", e.text)
		}
		switch word, _, _ := strings.Cut(e.text, " "); word {
		case "begin":
			require.False(t, p.ended[e.object], "P5: %s again", e.text)
			p.begun[e.object] = true
		case "told", "toldToo":
			require.False(t, p.told[e.object], "P4: %s again", e.text)
			require.False(t, p.begun[e.object], "P4: %s: its destruction has begun", e.text)
		case "spared":
			delete(p.told, e.object)
		case "create":
			p.outside[e.object] = true
		case "remove":
			delete(p.outside, e.object)
		}
	}
}

// check looks at the state when nothing runs. events are those of the last deployment, and its rounds.
func (p *promises) check(t require.TestingT, info *sexton.StateInfo, events []happening, plans []*plan) {
	have := map[object1]*sexton.StoredObject{}
	by := map[string]*sexton.StoredObject{}
	for i := range info.Objects {
		o := &info.Objects[i]
		x := object1{o.ID, o.Entry.Incarnation}
		have[x], by[o.ID] = o, o
		id, taken := p.ids[x.incarnation]
		require.True(t, x.incarnation > 0 && (!taken || id == o.ID), "P9: %v has the number of %s", x, id)
		p.ids[x.incarnation] = o.ID
		require.False(t, p.ended[x] && o.State != "destroyed", "P9: %v is %s again", x, o.State)
		if o.State == "live" {
			require.False(t, p.begun[x], "P2: %v is live and its destruction has begun", x)
		}
	}
	for x := range p.outside {
		require.True(t, have[x] != nil && have[x].State != "destroyed", "P1: %v exists and is forgotten", x)
	}
	destroyed := map[object1]bool{}
	p.follow(t, events, plans, by, destroyed)
	for x := range p.known {
		if o := have[x]; o == nil || o.State == "destroyed" {
			require.True(t, destroyed[x], "P1: %v is gone and was not destroyed", x)
			p.ended[x] = true
		}
	}
	for x := range destroyed {
		if o := have[x]; o == nil || o.State == "destroyed" {
			p.ended[x] = true
		}
	}
	clear(p.known)
	for x, o := range have {
		if o.State == "destroyed" {
			p.ended[x] = true
			continue
		}
		p.known[x] = true
		if o.Entry.Notified && o.Entry.Doomed {
			p.told[x] = true
		}
	}
}

// follow goes along the rounds of one deployment with the state that it left.
func (p *promises) follow(t require.TestingT, events []happening, plans []*plan, state map[string]*sexton.StoredObject, destroyed map[object1]bool) {
	round := -1
	now := map[string]object1{} // whose end was seen
	var told []happening        // in this round
	for _, e := range events {
		switch word, id, _ := strings.Cut(e.text, " "); word {
		case "plan":
			round, told = round+1, nil
		case "told", "toldToo":
			told = append(told, e)
		case "destroyed":
			destroyed[e.object] = true
			now[id] = e.object
		case "begin":
			plan := plans[round]
			for i, other := range plan.ids {
				o := state[other]
				if !plan.before[i][plan.index(id)] || plan.level[i] == 0 {
					continue
				}
				gone := o == nil || o.State == "destroyed" || o.Entry.Incarnation != now[other].incarnation
				require.True(t, gone && now[other].id != "", "P3: %s, and %s is %v in the state", e.text, other, o)
			}
			for _, line := range told {
				word := strings.Fields(line.text) // handler, subscriber, publisher
				if o := state[word[2]]; o != nil && o.Entry.Incarnation == line.object.incarnation && o.Entry.Doomed && !o.Entry.Notified {
					for _, sub := range o.Entry.Subscriptions {
						missing := sub.Subscriber == word[1] && sub.Handler == word[0] && !sub.Told
						require.False(t, missing, "P4: %s, and the state does not know of %s", e.text, line.text)
					}
				}
			}
		}
	}
}

func (p *plan) index(id string) int {
	for i, x := range p.ids {
		if x == id && p.level[i] > 0 {
			return i
		}
	}
	return 0
}

// wentThrough is P6: the state is a moment of the deployment, and none before one that it has relied on.
// Of the events it has relied on the first ones, and no more happened than so many.
func (p *promises) wentThrough(t require.TestingT, moments []moment, relied, happened int, state []string) {
	first, whole := 0, 0
	for i, m := range moments {
		if m.sure && m.events < relied {
			first = i
		}
	}
	closest := []string{}
	for i := range moments {
		m := &moments[i]
		if m.whole {
			whole = i
		}
		if i < first || m.events > happened {
			continue
		}
		for k := i; k >= whole; k-- {
			texts := m.since(&moments[k], k)
			if slices.Equal(texts, state) {
				return
			}
			closest = append(closest, fmt.Sprintf("after %d events, properties after %d (%v, %v)", m.events, moments[k].events, m.sure, m.whole))
			closest = append(closest, texts...)
		}
	}
	require.Fail(t, "P6: the deployment never was in this state", "%s\nmay be one of\n%s", strings.Join(state, "\n"), strings.Join(closest, "\n"))
}

func tokenOf(key string, o object1) string {
	h := sha256.New()
	for _, part := range []string{key, o.id, strconv.FormatUint(o.incarnation, 10)} {
		fmt.Fprintf(h, "%d:%s,", len(part), part)
	}
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:18])
}
