package vmheap

import (
	"flag"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write layout.txt from the linked goja")

// The canary: a goja that adds, moves or retypes a field must be looked at.
func TestLayoutIsAsRecorded(t *testing.T) {
	r := &resolver{}
	l, samples := resolve(r)
	require.NoError(t, r.err)
	e := &engine{l: l, plans: newPlanner(l)}
	newHeap(samples, e).trace(nil, nil)
	got := e.plans.describe()
	if *update {
		require.NoError(t, os.WriteFile("layout.txt", []byte(got), 0o644))
		return
	}
	require.NoError(t, e.plans.err)
	require.Equal(t, layoutText, got)
	require.Greater(t, strings.Count(got, "\n"), 200, "the samples do not reach what they should")
}

func TestCheck(t *testing.T) {
	require.NoError(t, Check())
	_, err := New(nil)
	require.Error(t, err)
}

// A goja that is not the one this was written for is refused, by name.
func TestCheckNamesTheField(t *testing.T) {
	for _, c := range []struct {
		name   string
		expect map[string]string
		text   string
		want   string
	}{
		{"retyped", map[string]string{"vm.sp": "uint"}, layoutText, "vmheap: incompatible goja: goja.vm.sp is int, want uint"},
		{"scope", map[string]string{"stash.values": "[]int"}, layoutText, "goja.stash.values is []goja.Value, want []int"},
		{"instance", map[string]string{"generatorObject.state": "int"}, layoutText, "goja.generatorObject.state is goja.generatorState, want int"},
		{"property", map[string]string{"valueProperty.configurable": "int"}, layoutText, "goja.valueProperty.configurable is bool, want int"},
		{"removed", nil, layoutText + "arrayObject.more int\n", "no field arrayObject.more, which was int"},
		{"added", nil, strings.Replace(layoutText, "arrayObject.values []goja.Value\n", "", 1), "unknown field arrayObject.values of type []goja.Value"},
		{"changed", nil, strings.Replace(layoutText, "arrayObject.values []goja.Value", "arrayObject.values []int", 1), "field arrayObject.values is []goja.Value, want []int"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := newEngine(c.expect, c.text)
			require.ErrorContains(t, err, c.want)
		})
	}
}

func TestResolverRefuses(t *testing.T) {
	r := &resolver{}
	require.Zero(t, r.field(reflect.TypeFor[goja.Object](), "nothing", "int"))
	require.ErrorContains(t, r.err, "goja.Object has no field nothing")
	r = &resolver{}
	require.Zero(t, r.field(nil, "sp", "int"))
	require.ErrorContains(t, r.err, "no struct")
	r = &resolver{}
	require.Nil(t, r.elem(field{typ: reflect.TypeFor[int]()}))
	require.ErrorContains(t, r.err, "neither pointer nor slice")
}

// Where one of these is not as expected, what the closure refers to is found late, so
// that nothing but this test would tell.
func TestClosuresAreKnown(t *testing.T) {
	e, err := linked()
	require.NoError(t, err)
	require.True(t, e.l.closures.methods)
	require.Len(t, e.l.closures.known, 3)
}
