package serialize

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton/objectstore"
)

// bigGraph has n objects with six properties each.
func bigGraph(n int) *objectstore.Graph {
	g := &objectstore.Graph{Root: "o0"}
	for i := range n {
		e := &objectstore.Entry{
			ID: fmt.Sprintf("o%d", i), Type: "shop/Machine", Version: "1.0.0", Incarnation: uint64(i + 1),
			Properties: fields("cidr", fmt.Sprintf("10.%d.%d.0/24", i/256%256, i%256), "size", float64(i), "ratio", float64(i)/7,
				"labels", record("zone", "eu-1", "tier", "web"), "on", true,
				"peers", []objectstore.Value{objectstore.Ref(fmt.Sprintf("o%d", i/2)), objectstore.Ref(fmt.Sprintf("o%d", (i+1)%n))}),
		}
		if i > 0 {
			e.Owner = fmt.Sprintf("o%d", (i-1)/8)
			e.Subscriptions = []objectstore.Subscription{{Subscriber: e.Owner, Handler: "onGone", Count: 1}}
		}
		g.Objects = append(g.Objects, e)
	}
	return g
}

// BenchmarkSnapshot compares with encoding/json, which reads into maps and writes from them: no order, no
// references, no digest.
func BenchmarkSnapshot(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		g := bigGraph(n)
		text, err := EncodeSnapshot(g)
		require.NoError(b, err)
		var tree any
		require.NoError(b, json.Unmarshal(text, &tree))
		run := func(name string, fn func() error) {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				b.ReportAllocs()
				for b.Loop() {
					require.NoError(b, fn())
				}
			})
		}
		run("save", func() error { _, err := EncodeSnapshot(g); return err })
		run("save-encoding-json", func() error { _, err := json.MarshalIndent(tree, "", "  "); return err })
		run("load", func() error { _, err := DecodeSnapshot(text); return err })
		run("load-encoding-json", func() error { var v any; return json.Unmarshal(text, &v) })
	}
}

// BenchmarkModel reads a flat model and merges it with the same objects at rest.
func BenchmarkModel(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		g := bigGraph(n)
		for _, e := range g.Objects {
			e.Type = "shop/Network"
			e.Properties = fields("cidr", e.Properties[0].Value, "made", e.Properties[5].Value)
		}
		text, err := EncodeSnapshot(g)
		require.NoError(b, err)
		opts := &ModelOptions{Classes: testClasses(), Stateful: true}
		m, err := DecodeModel(text, opts)
		require.NoError(b, err)
		b.Run(fmt.Sprintf("decode/%d", n), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				_, err := DecodeModel(text, opts)
				require.NoError(b, err)
			}
		})
		b.Run(fmt.Sprintf("merge/%d", n), func(b *testing.B) {
			for b.Loop() {
				_, err := Merge(g, m)
				require.NoError(b, err)
			}
		})
	}
}
