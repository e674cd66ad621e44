package sexton

import (
	"bytes"
	"encoding/base64"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton/internal/effect"
	"github.com/sextongc/sexton/internal/state"
	"github.com/sextongc/sexton/objectstore"
)

func testVault(t *testing.T) *vault {
	return &vault{fs: state.OS, file: filepath.Join(t.TempDir(), "shop.key"), makes: true, mask: &Mask{secrets: map[string]bool{}}}
}

func TestSealing(t *testing.T) {
	v := testVault(t)
	_, err := v.open("1:00000000:AAAA")
	require.ErrorIs(t, err, ErrSecretsKey, "reading makes no key")
	require.NoFileExists(t, v.file)

	a, err := v.seal([]byte("hunter2"))
	require.NoError(t, err)
	info, err := os.Stat(v.file)
	require.NoError(t, err)
	if goruntime.GOOS != "windows" {
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	}
	again := *testVault(t)
	again.file = v.file
	b, err := again.seal([]byte("hunter2"))
	require.NoError(t, err)
	require.Equal(t, a, b, "the same secret is sealed the same way")
	c, err := v.seal([]byte("hunter3"))
	require.NoError(t, err)
	require.NotEqual(t, a, c)
	text, err := again.open(a)
	require.NoError(t, err)
	require.Equal(t, "hunter2", string(text))
	empty, err := v.seal(nil)
	require.NoError(t, err)
	text, err = v.open(empty)
	require.NoError(t, err)
	require.Empty(t, text)

	other := testVault(t)
	_, err = other.seal([]byte("x"))
	require.NoError(t, err)
	_, err = other.open(a)
	require.ErrorIs(t, err, ErrSecretsKey)
	require.ErrorContains(t, err, "sealed with the key")
	for _, changed := range []string{"", "x", "1:", "2" + a[1:], a[:20], a[:len(a)-4], a[:len(a)-1] + string(a[len(a)-1]^1), strings.ToLower(a)} {
		_, err := v.open(changed)
		require.ErrorIs(t, err, ErrSecretsKey, changed)
	}
}

func TestKeyThatCannotBeUsed(t *testing.T) {
	v := testVault(t)
	v.makes = false
	_, err := v.seal([]byte("x"))
	require.ErrorContains(t, err, "there is no key in "+v.file)
	require.NoError(t, os.WriteFile(v.file, []byte("c2hvcnQ=\n"), 0o600))
	_, err = v.seal([]byte("x"))
	require.ErrorContains(t, err, "want 32 bytes in base64")
	v.given = base64.StdEncoding.EncodeToString(make([]byte, 32))
	_, err = v.seal([]byte("x"))
	require.NoError(t, err)
}

func TestSealedEntries(t *testing.T) {
	v := testVault(t)
	e := &objectstore.Entry{ID: "db", Type: "shop/Db", Failure: "no hunter2 here", Properties: []objectstore.Field{
		{Name: "password", Value: objectstore.Secret("hunter2")},
		{Name: "many", Value: []objectstore.Value{1.0, &objectstore.Record{Fields: []objectstore.Field{{Name: "k", Value: objectstore.Secret("second")}}},
			&objectstore.Map{Entries: []objectstore.MapEntry{{Key: objectstore.Secret("third"), Value: nil}}}, &objectstore.Set{Items: []objectstore.Value{objectstore.Secret("fourth")}}}},
		{Name: "plain", Value: "text"},
	}}
	sealed, err := v.sealEntry(e)
	require.NoError(t, err)
	require.Equal(t, "no *** here", sealed.Failure)
	require.Equal(t, objectstore.Secret("hunter2"), e.Properties[0].Value, "the entry itself is not changed")
	data := string(jsonOf(sealed))
	for _, secret := range []string{"hunter2", "second", "third", "fourth"} {
		require.NotContains(t, data, secret)
	}
	again, err := v.sealEntry(sealed)
	require.NoError(t, err)
	require.Equal(t, sealed, again)
	opened, err := v.openEntry(sealed)
	require.NoError(t, err)
	require.Equal(t, e.Properties, opened.Properties)

	v = testVault(t)
	_, err = v.openEntry(sealed)
	require.ErrorContains(t, err, "shop/Db db: ")
}

func TestSealedEffects(t *testing.T) {
	v := testVault(t)
	args, err := v.sealData([]byte(`{"args":["hunter2"]}`))
	require.NoError(t, err)
	for _, outcome := range []*effect.Outcome{
		nil, {Result: []byte(`"hunter2"`)}, {Error: &effect.Error{Name: "Error", Code: "ENOENT", Message: "hunter2", Detail: []byte(`{"a":1}`)}},
	} {
		e := &recordedEffect{intent: intentRecord{N: 1, Op: "process.exec", Args: args}}
		if outcome != nil {
			e.outcome, err = v.sealOutcome(outcome)
			require.NoError(t, err)
			require.NotContains(t, string(jsonOf(e.outcome)), "hunter2")
			require.Equal(t, outcome.Error != nil, e.outcome.Error != nil)
		}
		opened, err := v.openEffect(e)
		require.NoError(t, err)
		require.JSONEq(t, `{"args":["hunter2"]}`, string(opened.intent.Args))
		require.Equal(t, outcome, opened.outcome)
	}
}

func TestSealedValuesInModels(t *testing.T) {
	v := testVault(t)
	sealed, err := v.seal([]byte("a \"quoted\"\nsecret"))
	require.NoError(t, err)
	for text, want := range map[string]string{
		`{"password": {"$sealed": "` + sealed + `"}}`: `{"password": {"$secret": "a \"quoted\"\nsecret"}}`,
		"password: { $sealed: " + sealed + " }\n":     "password: { \"$secret\": \"a \\\"quoted\\\"\\nsecret\" }\n",
		"password:\n  $sealed: " + sealed + "\n":      "password:\n  \"$secret\": \"a \\\"quoted\\\"\\nsecret\"\n",
		`{"note": "a $sealed: thing"}`:                `{"note": "a $sealed: thing"}`,
	} {
		m, err := v.openModel(&Model{Data: []byte(text), File: "model"})
		require.NoError(t, err)
		require.Equal(t, want, string(m.Data))
	}
	_, err = testVault(t).openModel(&Model{Data: []byte(`{"a": {"$sealed": "` + sealed + `"}}`), File: "model.json"})
	require.ErrorIs(t, err, ErrSecretsKey)
	require.ErrorContains(t, err, "model.json: ")
}

func TestMask(t *testing.T) {
	t.Setenv("SEXTON_SECRET_A", "from the environment")
	t.Setenv("SEXTON_SECRETS_KEY", "no secret of scripts")
	m := NewMask()
	require.Equal(t, "***, no secret of scripts", m.Text("from the environment, no secret of scripts"))

	secret := "p<ss\"w\\rd/+ ü"
	m.Learn(secret)
	m.Learn("abc")
	m.Learn("password-and-more")
	m.Learn("password")
	m.Learn("-----BEGIN KEY-----\nfirst line of it\n  second line of it\n")
	for _, form := range []string{
		secret, strings.Trim(string(jsonOf(secret)), `"`), `p<ss\"w\\rd/+ ü`, url.QueryEscape(secret), url.PathEscape(secret),
		base64.StdEncoding.EncodeToString([]byte(secret)), base64.RawURLEncoding.EncodeToString([]byte(secret)), "second line of it",
		"p%3Css%22w%5Crd%2F%2B%20%C3%BC", "p%3Css%22w%5Crd%2F%2B+%C3%BC", // encodeURIComponent, URLSearchParams
		"password-and-more", "-----BEGIN KEY-----\nfirst line of it\n  second line of it\n",
	} {
		require.Equal(t, "a *** b", strings.ReplaceAll(m.Text("a "+form+" b"), "=", ""), form)
	}
	require.Equal(t, "abc", m.Text("abc"), "too short")
	require.True(t, m.Within("x password y"))
	require.False(t, m.Within("nothing"))
	require.True(t, m.withinData([]byte(`{"data":"`+base64.StdEncoding.EncodeToString([]byte("user:password!"))+`"}`)))
	require.True(t, m.withinData([]byte(`{"url":"http://a/?q=%70assw%6frd&r=%"}`)))
	require.False(t, m.withinData([]byte(`{"data":"nothing"}`)))

	var out bytes.Buffer
	n, err := m.Writer(&out).Write([]byte("the password\n"))
	require.NoError(t, err)
	require.Equal(t, 13, n)
	require.Equal(t, "the ***\n", out.String())
	_, err = m.Writer(failing{}).Write([]byte("x"))
	require.ErrorIs(t, err, errBroken)
}

var errBroken = errors.New("broken")

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errBroken }
