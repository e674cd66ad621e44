package proof

import (
	"flag"
	"fmt"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/objectstore"
)

var troubled = flag.Int("troubled", 20_000, "how many objects TestLargeTrouble has")

// TestLargeTrouble has everybody do the same wrong, or odd, thing at once: reports, subscriptions and
// tombstones take time in proportion, too.
//
// gc 2.8, 4.5, 4.7, 5.5, 5.6, 6.1, 6.3. What fails is tried before the deployment and after it.
func TestLargeTrouble(t *testing.T) {
	n := *troubled
	if testing.Short() || raceDetector {
		n = 5000
	}
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	star, stars, ring := shaped(t, "star of subscribers with handlers"), shaped(t, "star of publishers with handlers"), shaped(t, "ring of references")
	none := []byte(`{"sexton": 1, "root": "root", "objects": [{"?": {"id": "root", "type": "Root"}, "refs": []}]}`)
	resurrect := func(of string) *reaction { return &reaction{op: []any{"refer", "root", of, ""}} }
	unsubscribe := func(kind, self, other string) *reaction {
		if kind == "destroy" {
			return nil
		}
		return &reaction{op: []any{"unsubscribe", other, self, "told"}}
	}
	for _, c := range []struct {
		name     string
		large    *large
		settings sexton.Settings
		react    func(kind, self, other string) *reaction
		want     tally
		left     int // objects saved besides the root
	}{
		{"every destructor fails", ring, sexton.Settings{}, func(string, string, string) *reaction { return &reaction{throws: true} },
			tally{failed: 2 * n}, n},
		{"one failure blocks everybody", star, sexton.Settings{}, func(kind, self, _ string) *reaction {
			return &reaction{throws: kind == "destroy" && self == "o000001"}
		}, tally{failed: 2, blocked: 2 * (n - 1), told: n - 1}, n},
		{"every subscriber leaves when told", star, sexton.Settings{}, unsubscribe, tally{told: n - 1, destroyed: n}, 0},
		{"everybody leaves the next one", stars, sexton.Settings{}, unsubscribe, tally{told: n - 1, destroyed: n}, 0},
		{"every destructor resurrects", ring, sexton.Settings{}, func(_, self, _ string) *reaction { return resurrect(self) },
			tally{destroyed: n}, n},
		{"every handler rescues", stars, sexton.Settings{Resurrection: "spare"}, func(kind, _, publisher string) *reaction {
			if kind == "destroy" {
				return nil
			}
			return resurrect(publisher)
		}, tally{told: n - 1, spared: n - 1, destroyed: 1}, n - 1},
		{"every destructor makes another object", ring, sexton.Settings{}, func(_, self, _ string) *reaction {
			if strings.HasPrefix(self, "made") {
				return nil
			}
			return &reaction{op: []any{"make", "root", "root", "made " + self}}
		}, tally{destroyed: 2 * n}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHost(t)
			deploy := func(what string, model []byte, last *objectstore.Graph, settings sexton.Settings) (*sexton.Report, *objectstore.Graph, tally) {
				var count tally
				h.trace = count.note
				began := time.Now()
				report, g, err := h.deploy(model, last, settings)
				require.NoError(t, err)
				t.Logf("%d objects, %-20s %6.2f s, %+v", n, what, time.Since(began).Seconds(), count)
				return report, g, count
			}
			h.react = func(kind, self, other string) *reaction { return c.react(kind, self, other) }
			report, g, count := deploy("in trouble", none, c.large.graph(n), c.settings)
			require.Equal(t, c.want, count)
			require.Len(t, g.Objects, c.left+1)
			require.Equal(t, c.want.destroyed == 0, report.Incomplete())

			h.react = nil
			_, g, _ = deploy("afterwards", none, g, sexton.Settings{})
			require.Len(t, g.Objects, 1)
		})
	}
}

func shaped(t *testing.T, name string) *large {
	for _, l := range larges {
		if l.name == name {
			return &l
		}
	}
	require.Fail(t, "no shape "+name)
	return nil
}

func (c *tally) note(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	switch word, _, _ := strings.Cut(line, " "); word {
	case "told":
		c.told++
	case "destroyed":
		c.destroyed++
	case "failed", "handler":
		c.failed++
	case "blocked":
		c.blocked++
	case "spared":
		c.spared++
	}
}
