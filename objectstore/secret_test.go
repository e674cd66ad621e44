package objectstore_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton/objectstore"
)

// learned are secrets that were heard of, in order.
type learned []string

func (l *learned) Learn(secret string) { *l = append(*l, secret) }

func (l *learned) Within(text string) bool {
	for _, secret := range *l {
		if strings.Contains(text, secret) {
			return true
		}
	}
	return false
}

func TestSecretsAreTheirStrings(t *testing.T) {
	secret := objectstore.Secret("x")
	require.True(t, objectstore.Equal(secret, "x"))
	require.True(t, objectstore.Equal("x", secret))
	require.True(t, objectstore.Equal([]objectstore.Value{secret}, []objectstore.Value{"x"}))
	require.False(t, objectstore.Equal(secret, "y"))
	require.False(t, objectstore.Equal(secret, nil))
	require.False(t, objectstore.Equal(secret, objectstore.Sealed("x")))
}

func TestMapSecrets(t *testing.T) {
	hide := func(objectstore.Value) objectstore.Value { return "***" }
	plain := []objectstore.Value{1.0, "text", &objectstore.Record{Fields: []objectstore.Field{{Name: "a", Value: objectstore.Ref("b")}}}}
	require.Equal(t, plain, objectstore.MapSecrets(plain, hide))
	value := []objectstore.Value{objectstore.Secret("a"), &objectstore.Set{Items: []objectstore.Value{objectstore.Sealed("b"), "c"}}}
	require.Equal(t, []objectstore.Value{"***", &objectstore.Set{Items: []objectstore.Value{"***", "c"}}}, objectstore.MapSecrets(value, hide))
	require.Equal(t, objectstore.Secret("a"), value[0], "the value itself is not changed")
	e := &objectstore.Entry{ID: "x", Properties: []objectstore.Field{{Name: "p", Value: "plain"}}}
	require.Same(t, e, e.MapSecrets(hide))
}

func TestSecretsOfObjects(t *testing.T) {
	e := newEnv(t, `
		class Db extends Resource {
			static properties = { password: "secret", all: { type: [{ map: "secret" }], usage: "out", optional: true }, url: { type: "any", usage: "out", optional: true } };
		}
		class Other extends Resource {
			static properties = { mode: { type: { enum: ["given-text", "other"] }, optional: true }, note: { type: "string", optional: true } };
		}
	`)
	heard := &learned{}
	e.g.UseSecrets(heard)
	e.run(`globalThis.db = new Db({ password: "given" }); globalThis.other = new Other({ mode: "given-text", note: "nothing" })`)
	e.run(`db.password = "changed"; db.all = [{ a: "first" }, { b: "second" }]; db.url = ["db://changed@host"]; other.note = "has first in it"`)
	e.s.LearnSecrets()
	for _, secret := range []string{"changed", "first", "second"} {
		require.Contains(t, *heard, secret)
	}
	properties := map[string]objectstore.Value{}
	for _, entry := range e.snapshot().Objects {
		for _, f := range entry.Properties {
			properties[f.Name] = f.Value
		}
	}
	require.Equal(t, objectstore.Secret("changed"), properties["password"])
	require.Equal(t, []objectstore.Value{objectstore.Secret("db://changed@host")}, properties["url"], "a text with a secret in it is one")
	require.Equal(t, objectstore.Secret("has first in it"), properties["note"])
	require.Equal(t, "given-text", properties["mode"], "what the class lists is no secret")

	e.run(`db.all = [{ get c() { throw new Error("no") } }]; new Db({ password: "third" })`)
	e.s.LearnSecrets()
	require.Contains(t, *heard, "third", "what cannot be read is passed over")
}
