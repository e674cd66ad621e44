package sexton

import (
	"bytes"
	"cmp"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/sextongc/sexton/internal/effect"
	"github.com/sextongc/sexton/internal/state"
	"github.com/sextongc/sexton/objectstore"
	"github.com/sextongc/sexton/serialize"
)

// ErrSecretsKey: secrets of the state, or of a model, cannot be read, because the key that they are sealed with is
// not there, or is another one.
var ErrSecretsKey = errors.New("the secrets cannot be read")

// keySize is that of a key, in bytes.
const keySize = 32

// sealedPrefix is how sealed texts of this version begin.
const sealedPrefix = "1:"

// vault seals secrets on their way into the state directory, and opens them for scripts. It belongs to the state
// side; who only looks at the state or moves it does without a key.
//
// A sealed text is "1:<id of the key>:<base64 of nonce and ciphertext>", of AES-256-GCM. The nonce is made of the
// text with HMAC-SHA-256, so that a secret which does not change is sealed the same way again, and equal
// environments have equal snapshots. What that tells is which secrets of a key are equal, and how long they are.
type vault struct {
	fs     state.FS
	file   string // of the key
	makes  bool   // a key, if there is none
	given  string // the key itself, instead of a file
	mask   *Mask
	mu     sync.Mutex
	loaded *sealingKey
}

// sealingKey is what is derived of a key.
type sealingKey struct {
	id    string
	nonce []byte
	aead  cipher.AEAD
}

// vault returns that of the environment. The key is not looked for yet.
func (e *Environment) vault() *vault {
	return &vault{
		fs: cmp.Or(e.opts.fs, state.OS), file: e.opts.keyFile(e.dir), makes: e.opts.SecretsKeyFile == "", given: e.opts.SecretsKey, mask: e.opts.Mask,
	}
}

// keyFile is where the key of the secrets in a state directory is.
func (o *Options) keyFile(stateDir string) string {
	return cmp.Or(o.SecretsKeyFile, filepath.Clean(stateDir)+".key")
}

// key returns the key; create: it is made if there is none, durable before it is used.
func (v *vault) key(create bool) (*sealingKey, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.loaded != nil {
		return v.loaded, nil
	}
	text, source := v.given, "the given key"
	if text == "" {
		source = v.file
		data, err := v.fs.ReadFile(v.file)
		switch {
		case errors.Is(err, fs.ErrNotExist) && create && v.makes:
			if data, err = v.makeKey(); err != nil {
				return nil, fmt.Errorf("make a key for secrets: %w", err)
			}
		case errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("%w: there is no key in %s; put it back, or say where it is (--secrets-key-file, SEXTON_SECRETS_KEY)", ErrSecretsKey, v.file)
		case err != nil:
			return nil, fmt.Errorf("%w: %w", ErrSecretsKey, err)
		}
		text = string(data)
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text))
	if err != nil || len(key) != keySize {
		return nil, fmt.Errorf("%w: %s is no key: want 32 bytes in base64, as `openssl rand -base64 32` makes them", ErrSecretsKey, source)
	}
	v.loaded, err = newSealingKey(key)
	return v.loaded, err
}

func newSealingKey(key []byte) (*sealingKey, error) {
	derive := func(purpose string) []byte {
		out, err := hkdf.Key(sha256.New, key, nil, "sexton secrets: "+purpose, keySize)
		if err != nil {
			panic(err) // of keys that are too long
		}
		return out
	}
	block, err := aes.NewCipher(derive("values"))
	if err != nil {
		return nil, err
	}
	k := &sealingKey{id: hex.EncodeToString(derive("id")[:4]), nonce: derive("nonces")}
	k.aead, err = cipher.NewGCM(block)
	return k, err
}

// makeKey makes a key file, which its owner alone can read.
func (v *vault) makeKey() ([]byte, error) {
	key := make([]byte, keySize)
	if _, err := rand.Read(key); err != nil {
		return nil, err
	}
	text := []byte(base64.StdEncoding.EncodeToString(key) + "\n")
	return text, state.WriteFile(v.fs, v.file, text)
}

func (v *vault) seal(secret []byte) (string, error) {
	k, err := v.key(true)
	if err != nil {
		return "", err
	}
	mac := hmac.New(sha256.New, k.nonce)
	mac.Write(secret)
	nonce := mac.Sum(nil)[:k.aead.NonceSize()]
	return sealedPrefix + k.id + ":" + base64.RawStdEncoding.EncodeToString(k.aead.Seal(nonce, nonce, secret, nil)), nil
}

func (v *vault) open(sealed string) ([]byte, error) {
	id, text, ok := strings.Cut(strings.TrimPrefix(sealed, sealedPrefix), ":")
	data, err := base64.RawStdEncoding.Strict().DecodeString(text)
	if !ok || err != nil || !strings.HasPrefix(sealed, sealedPrefix) {
		return nil, fmt.Errorf("%w: %.20q is no sealed text that this version knows", ErrSecretsKey, sealed)
	}
	k, err := v.key(false)
	if err != nil {
		return nil, err
	}
	if k.id != id {
		return nil, fmt.Errorf("%w: they are sealed with the key %s, and the one in use is %s", ErrSecretsKey, id, k.id)
	}
	size := k.aead.NonceSize()
	if len(data) < size {
		return nil, fmt.Errorf("%w: a sealed text was cut off", ErrSecretsKey)
	}
	secret, err := k.aead.Open(nil, data[:size], data[size:], nil)
	if err != nil {
		return nil, fmt.Errorf("%w: a sealed text was changed", ErrSecretsKey)
	}
	return secret, nil
}

// sealEntry returns the entry as the state keeps it.
func (v *vault) sealEntry(e *objectstore.Entry) (sealed *objectstore.Entry, err error) {
	sealed = e.MapSecrets(func(value objectstore.Value) objectstore.Value {
		secret, ok := value.(objectstore.Secret)
		if !ok || err != nil {
			return value
		}
		v.mask.Learn(string(secret))
		var text string
		if text, err = v.seal([]byte(secret)); err != nil {
			return value
		}
		return objectstore.Sealed(text)
	})
	if failure := v.mask.Text(e.Failure); failure != e.Failure {
		told := *sealed
		told.Failure, sealed = failure, &told
	}
	return sealed, err
}

// openEntry returns the entry as scripts may have it.
func (v *vault) openEntry(e *objectstore.Entry) (opened *objectstore.Entry, err error) {
	opened = e.MapSecrets(func(value objectstore.Value) objectstore.Value {
		switch secret := value.(type) {
		case objectstore.Secret:
			v.mask.Learn(string(secret))
		case objectstore.Sealed:
			var text []byte
			if err == nil {
				text, err = v.open(string(secret))
			}
			if err == nil {
				v.mask.Learn(string(text))
				return objectstore.Secret(text)
			}
		}
		return value
	})
	if err != nil {
		err = fmt.Errorf("%s %s: %w", e.Type, e.ID, err)
	}
	return opened, err
}

func mapGraph(g *objectstore.Graph, change func(*objectstore.Entry) (*objectstore.Entry, error)) (*objectstore.Graph, error) {
	out := &objectstore.Graph{Root: g.Root, Objects: make([]*objectstore.Entry, len(g.Objects))}
	for i, e := range g.Objects {
		var err error
		if out.Objects[i], err = change(e); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// opened returns what the state holds as scripts may have it.
func (v *vault) opened(last *replayed) (*replayed, error) {
	out := *last
	var err error
	if out.graph, err = mapGraph(last.graph, v.openEntry); err != nil {
		return nil, err
	}
	out.effects = make([]*recordedEffect, len(last.effects))
	for i, e := range last.effects {
		if out.effects[i], err = v.openEffect(e); err != nil {
			return nil, fmt.Errorf("an effect of %s: %w", e.intent.Object, err)
		}
	}
	return &out, nil
}

// sealedData is how the journal has arguments and outcomes of effects in which a secret stands.
type sealedData struct {
	Sealed string `json:"$sealed"`
}

// mustSeal reports whether a secret stands in data, or what could be taken for a sealed one.
func (v *vault) mustSeal(data []byte) bool {
	return v.mask.withinData(data) || bytes.Contains(data, []byte(`"$sealed"`))
}

func (v *vault) sealData(data []byte) (json.RawMessage, error) {
	text, err := v.seal(data)
	return jsonOf(sealedData{text}), err
}

// openData returns data that is not sealed as it is.
func (v *vault) openData(data json.RawMessage) ([]byte, bool, error) {
	var s sealedData
	if !bytes.HasPrefix(data, []byte(`{"$sealed":`)) || json.Unmarshal(data, &s) != nil {
		return data, false, nil
	}
	opened, err := v.open(s.Sealed)
	return opened, true, err
}

func (v *vault) openEffect(e *recordedEffect) (*recordedEffect, error) {
	args, _, err := v.openData(e.intent.Args)
	if err != nil {
		return nil, err
	}
	opened := &recordedEffect{intent: e.intent, outcome: e.outcome}
	opened.intent.Args = args
	if e.outcome == nil {
		return opened, nil
	}
	data, sealed, err := v.openData(e.outcome.Result)
	if err == nil && sealed {
		opened.outcome = &effect.Outcome{}
		err = json.Unmarshal(data, opened.outcome)
	}
	return opened, err
}

// sealOutcome keeps of an error its name and code in clear text.
func (v *vault) sealOutcome(o *effect.Outcome) (*effect.Outcome, error) {
	data, err := v.sealData(jsonOf(o))
	sealed := &effect.Outcome{Result: data}
	if o.Error != nil {
		sealed.Error = &effect.Error{Name: o.Error.Name, Code: o.Error.Code, Message: masked}
	}
	return sealed, err
}

// sealRecords returns records of the script side as the journal keeps them.
func (v *vault) sealRecords(group []state.Record) ([]state.Record, error) {
	out := make([]state.Record, len(group))
	for i, r := range group {
		var err error
		switch r.Kind {
		case state.Checkpoint:
			r.Payload, err = v.sealCheckpoint(r.Payload)
		case state.Destroyed:
			var s settledRecord
			if err = json.Unmarshal(r.Payload, &s); err == nil && s.Failure != "" {
				s.Failure = v.mask.Text(s.Failure)
				r.Payload = jsonOf(s)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.Kind, err)
		}
		out[i] = r
	}
	return out, nil
}

func (v *vault) sealCheckpoint(payload []byte) ([]byte, error) {
	if !bytes.Contains(payload, []byte(`"$secret"`)) && !bytes.Contains(payload, []byte(`"failure"`)) {
		return payload, nil
	}
	var c checkpointRecord
	if err := json.Unmarshal(payload, &c); err != nil {
		return nil, err
	}
	for i, data := range c.Changed {
		e, err := serialize.DecodeEntry(data)
		if err != nil {
			return nil, err
		}
		if e, err = v.sealEntry(e); err != nil {
			return nil, err
		}
		if c.Changed[i], err = serialize.EncodeEntry(e); err != nil {
			return nil, err
		}
	}
	return jsonOf(c), nil
}

// hasSealed reports whether there is a sealed value in JSON. As the content of a string, the tag has escaped quotes
// around it or no colon behind it.
func hasSealed(data []byte) bool { return sealedTag().Match(data) }

var sealedTag = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"\$sealed"\s*:`) })

var sealedInModel = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"?\$sealed"?(\s*:\s*)"?(1:[0-9a-f]+:[A-Za-z0-9+/]+)"?`)
})

// openModel opens sealed texts in a model, which may be a snapshot, in JSON or YAML.
func (v *vault) openModel(m *Model) (*Model, error) {
	if !bytes.Contains(m.Data, []byte("$sealed")) {
		return m, nil
	}
	opened := *m
	var failed error
	changed := sealedInModel().ReplaceAllFunc(m.Data, func(match []byte) []byte {
		parts := sealedInModel().FindSubmatch(match)
		secret, err := v.open(string(parts[2]))
		if err != nil {
			failed = err
			return match
		}
		v.mask.Learn(string(secret))
		return fmt.Appendf(nil, `"$secret"%s%s`, parts[1], jsonOf(string(secret)))
	})
	if failed != nil {
		return nil, fmt.Errorf("%s: %w", m.File, failed)
	}
	opened.Data = changed
	return &opened, nil
}
