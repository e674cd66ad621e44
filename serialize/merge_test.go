package serialize

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sextongc/sexton/objectstore"
)

var update = flag.Bool("update", false, "write what the tests in testdata give into them")

// readGraph reads the objects of a snapshot that has no digest.
func readGraph(t *testing.T, data []byte) *objectstore.Graph {
	t.Helper()
	body := strings.TrimSuffix(string(bytes.TrimSpace(data)), "}")
	r := snapshotReader{
		jsonReader: newJSONReader(&document{file: "last.json", data: []byte(body + `, "digest": "sha256:" }`)}),
		ids:        make(map[string]int), pending: make(map[string]int), graph: &objectstore.Graph{},
	}
	r.entries.doc, r.entries.refer = r.doc, r.refer
	require.NoError(t, r.document())
	require.NoError(t, r.dangling())
	return r.graph
}

// Each archive in testdata/merge has a model, mostly the last snapshot (without a digest), and what comes out:
// the union, an object a line, and who leaves; or the error.
func TestMerge(t *testing.T) {
	files, err := filepath.Glob("testdata/merge/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			require.NoError(t, err)
			var last *objectstore.Graph
			var model txtar.File
			want := -1
			for i, f := range archive.Files {
				switch f.Name {
				case "last.json":
					last = readGraph(t, f.Data)
				case "want":
					want = i
				default:
					model = f
				}
			}
			before := dump(last)
			got := merged(last, model)
			require.Equal(t, before, dump(last), "the last snapshot was changed")
			if *update {
				archive.Files[want].Data = []byte(got)
				require.NoError(t, os.WriteFile(file, txtar.Format(archive), 0o644))
				return
			}
			require.GreaterOrEqual(t, want, 0)
			require.Equal(t, strings.ReplaceAll(string(archive.Files[want].Data), "\r\n", "\n"), got)
		})
	}
}

func merged(last *objectstore.Graph, f txtar.File) string {
	m, err := DecodeModel(f.Data, &ModelOptions{File: f.Name, Classes: testClasses(), Stateful: true})
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	out, err := Merge(last, m)
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "root %s\n%s", out.Graph.Root, dump(out.Graph))
	list := func(what string, ids []string) {
		if len(ids) > 0 {
			fmt.Fprintf(&b, "%s %s\n", what, strings.Join(ids, " "))
		}
	}
	var incoming []string
	for id := range out.Incoming {
		incoming = append(incoming, id)
	}
	slices.Sort(incoming)
	list("incoming", incoming)
	list("dropped", out.Dropped)
	list("forgotten", out.Forgotten)
	for _, r := range out.Replaced {
		fmt.Fprintf(&b, "replaced %s", dump(&objectstore.Graph{Objects: []*objectstore.Entry{r.New}}))
	}
	return b.String()
}

func dump(g *objectstore.Graph) string {
	if g == nil {
		return ""
	}
	var b strings.Builder
	for _, e := range g.Objects {
		text, err := EncodeEntry(e)
		if err != nil {
			return err.Error()
		}
		b.Write(append(text, '\n'))
	}
	return b.String()
}

// The incoming graph of gc 2.3, computed the slow way on random graphs: the set grows until it does not.
func TestIncomingGraph(t *testing.T) {
	classes := testClasses()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "objects")
		id := func(i int) string { return fmt.Sprintf("o%d", i) }
		refs := func(label string) []objectstore.Value {
			list := []objectstore.Value{}
			for _, i := range rapid.SliceOfN(rapid.IntRange(0, n-1), 0, 3).Draw(t, label) {
				list = append(list, objectstore.Ref(id(i)))
			}
			return list
		}
		last := &objectstore.Graph{Root: id(0)}
		for i := range n {
			e := &objectstore.Entry{ID: id(i), Type: "shop/Network", Properties: fields("cidr", "x", "made", refs("made"))}
			if i > 0 && rapid.Bool().Draw(t, "owned") {
				e.Owner = id(rapid.IntRange(0, i-1).Draw(t, "owner"))
			}
			e.Destroyed = i > 0 && rapid.IntRange(0, 5).Draw(t, "state") == 0
			e.Doomed = i > 0 && !e.Destroyed && rapid.IntRange(0, 5).Draw(t, "state") == 0
			last.Objects = append(last.Objects, e)
		}
		model := `{ "sexton": 1, "root": "o0", "objects": [ { "?": { "id": "o0", "type": "Network" }, "cidr": "y" }`
		inModel, replaced := map[string]bool{"o0": true}, map[string]bool{}
		var names []string
		for i := 1; i < n; i++ {
			if rapid.Bool().Draw(t, "in the model") {
				names = append(names, id(i))
				inModel[id(i)] = true
			}
		}
		for i, name := range rapid.Permutation(names).Draw(t, "order") {
			class := "Network"
			if rapid.IntRange(0, 4).Draw(t, "class") == 0 {
				class = "BigNetwork"
				replaced[name] = true
			}
			model += `, { "?": { "id": "` + name + `", "type": "` + class + `"`
			if i > 0 && rapid.Bool().Draw(t, "has an owner") {
				model += `, "owner": "` + names[rapid.IntRange(0, len(names)-1).Draw(t, "owner")] + `"`
			}
			model += ` }, "cidr": "y"`
			if rapid.Bool().Draw(t, "sets made") {
				model += `, "made": []`
			}
			model += " }"
		}
		m, err := DecodeModel([]byte(model+"] }"), &ModelOptions{Classes: classes, Stateful: true})
		if err != nil {
			require.ErrorContains(t, err, "owns itself")
			t.Skip("a cycle of owners")
		}
		out, err := Merge(last, m)
		if err != nil {
			require.ErrorContains(t, err, "owns itself")
			t.Skip("a cycle of owners")
		}

		want := map[string]bool{}
		for k := range inModel {
			want[k] = true
		}
		for size := -1; size != len(want); {
			size = len(want)
			for _, e := range last.Objects {
				if !want[e.ID] {
					continue
				}
				if inModel[e.ID] {
					if _, set := m.objects[e.ID].entry.Property("made"); set || replaced[e.ID] {
						continue
					}
				} else if e.Owner != "" {
					want[e.Owner] = true
				}
				objectstore.Refs(e.Properties[1].Value, func(r objectstore.Ref) { want[string(r)] = true })
			}
		}
		require.Equal(t, want, out.Incoming)
		var dropped, forgotten []string
		for _, e := range last.Objects {
			switch {
			case want[e.ID] && !replaced[e.ID]:
			case e.Destroyed:
				forgotten = append(forgotten, e.ID)
			case !e.Doomed:
				dropped = append(dropped, e.ID)
			}
		}
		require.Equal(t, dropped, out.Dropped)
		require.Equal(t, forgotten, out.Forgotten)
		// The union can be saved: it is closed and its owners have no cycle. So can what comes out when the
		// replaced objects are gone, and merging that with the same model changes nothing.
		_, err = EncodeSnapshot(out.Graph)
		require.NoError(t, err)
		left := &objectstore.Graph{Root: last.Root}
		for _, e := range last.Objects {
			if !replaced[e.ID] {
				left.Objects = append(left.Objects, e)
			}
		}
		out, err = Merge(left, m)
		require.NoError(t, err)
		require.Empty(t, out.Replaced)
		_, err = EncodeSnapshot(out.Graph)
		require.NoError(t, err)
		again, err := Merge(out.Graph, m)
		require.NoError(t, err)
		require.Equal(t, dump(out.Graph), dump(again.Graph))
		require.Equal(t, out.Incoming, again.Incoming)
	})
}
