package sexton

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/sextongc/sexton/internal/effect"
)

// SecretVariables is how the names of environment variables begin whose values are secrets.
const SecretVariables = "SEXTON_SECRET_"

// shortestSecret is how many bytes a secret has at least that a Mask looks for: shorter ones are parts of words.
const shortestSecret = 4

// masked is what people see in place of a secret.
const masked = "***"

// A Mask replaces secrets in texts by "***", wherever they stand: as they are, and as JSON, URLs and base64 write
// them. Its methods are safe for concurrent use.
type Mask struct {
	mu       sync.Mutex
	secrets  map[string]bool
	replacer *strings.Replacer // of all forms; nil: to be made
	plain    *strings.Replacer // of the secrets as they are
}

// NewMask returns a Mask that knows the values of this process's variables SEXTON_SECRET_*.
func NewMask() *Mask {
	m := &Mask{secrets: map[string]bool{}}
	for _, variable := range os.Environ() {
		if name, value, ok := strings.Cut(variable, "="); ok && strings.HasPrefix(name, SecretVariables) {
			m.Learn(value)
		}
	}
	return m
}

// Learn adds a secret: the whole, and its lines if it has several. What is shorter than 4 bytes is not looked for.
func (m *Mask) Learn(secret string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.learn(secret)
	if strings.Contains(secret, "\n") {
		for line := range strings.Lines(secret) {
			m.learn(strings.TrimSpace(line))
		}
	}
}

func (m *Mask) learn(secret string) {
	if len(secret) < shortestSecret || m.secrets[secret] {
		return
	}
	m.secrets[secret] = true
	m.replacer, m.plain = nil, nil
}

// Text returns the text without secrets.
func (m *Mask) Text(text string) string { return m.forms().Replace(text) }

// Within reports whether a secret stands in the text as it is.
func (m *Mask) Within(text string) bool {
	m.forms()
	m.mu.Lock()
	plain := m.plain
	m.mu.Unlock()
	return plain != nil && plain.Replace(text) != text
}

var base64Text = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[A-Za-z0-9+/]{6,}={0,2}`) })

// withinData reports whether a secret stands in JSON, in any form; strings may be longer data in base64.
func (m *Mask) withinData(data []byte) bool {
	m.mu.Lock()
	none := len(m.secrets) == 0
	m.mu.Unlock()
	if none {
		return false
	}
	text := string(data)
	if m.Text(text) != text || strings.Contains(text, "%") && m.Within(unescapePercent(text)) {
		return true
	}
	return slices.ContainsFunc(base64Text().FindAll(data, -1), func(encoded []byte) bool {
		decoded, err := base64.StdEncoding.DecodeString(string(encoded))
		return err == nil && m.Within(string(decoded))
	})
}

// forms returns what replaces secrets in all their forms. Of several at the same place the longest counts.
func (m *Mask) forms() *strings.Replacer {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.replacer != nil {
		return m.replacer
	}
	all := map[string]bool{}
	for secret := range m.secrets {
		for _, form := range formsOf(secret) {
			all[form] = true
		}
	}
	m.replacer, m.plain = replacer(all), replacer(m.secrets)
	return m.replacer
}

func replacer(texts map[string]bool) *strings.Replacer {
	longest := slices.SortedFunc(maps.Keys(texts), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
	})
	pairs := make([]string, 0, 2*len(longest))
	for _, text := range longest {
		pairs = append(pairs, text, masked)
	}
	return strings.NewReplacer(pairs...)
}

func formsOf(secret string) []string {
	quoted, unescaped := jsonOf(secret), bytes.Buffer{}
	encoder := json.NewEncoder(&unescaped)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(secret) // a string, into memory
	return []string{
		secret, string(quoted[1 : len(quoted)-1]), strings.Trim(unescaped.String(), "\"\n"),
		url.QueryEscape(secret), url.PathEscape(secret), escapePercent(secret, "-_.!~*'()", "%20"), escapePercent(secret, "*-._", "+"),
		strings.TrimRight(base64.StdEncoding.EncodeToString([]byte(secret)), "="),
		base64.RawURLEncoding.EncodeToString([]byte(secret)),
	}
}

// escapePercent writes what is no letter or digit as %XX, except for some characters: as encodeURIComponent and URLSearchParams
// do, which differ from net/url.
func escapePercent(text, except, space string) string {
	var b strings.Builder
	for i := range len(text) {
		switch c := text[i]; {
		case c == ' ':
			b.WriteString(space)
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte(except, c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

var percentEscape = regexp.MustCompile(`%[0-9A-Fa-f]{2}`)

// unescapePercent undoes %XX wherever it stands, whoever wrote it.
func unescapePercent(text string) string {
	return percentEscape.ReplaceAllStringFunc(text, func(escape string) string {
		n, _ := strconv.ParseUint(escape[1:], 16, 8) // two digits
		return string([]byte{byte(n)})
	})
}

// Writer returns a writer that masks each text that it is given to write; a secret that stands in two of them is
// not found.
func (m *Mask) Writer(w io.Writer) io.Writer { return &maskedWriter{m, w} }

type maskedWriter struct {
	mask *Mask
	to   io.Writer
}

func (w *maskedWriter) Write(p []byte) (int, error) {
	if _, err := io.WriteString(w.to, w.mask.Text(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// learning is a Broker of scripts that are about to see secrets of the environment's variables.
type learning struct {
	effect.Broker
	mask *Mask
}

// Do implements effect.Broker.
func (l *learning) Do(ctx context.Context, req *effect.Request) *effect.Outcome {
	outcome := l.Broker.Do(ctx, req)
	var args struct{ Name string }
	var value string
	if req.Op == "process.env" && json.Unmarshal(req.Args, &args) == nil && strings.HasPrefix(args.Name, SecretVariables) &&
		json.Unmarshal(outcome.Result, &value) == nil {
		l.mask.Learn(value)
	}
	return outcome
}

// history masks what scripts may have put into a record of the history.
func (m *Mask) history(h *HistoryRecord) {
	h.Error = m.Text(h.Error)
	for _, list := range [][]HistoryObject{h.Destroyed, h.Failed, h.Ignored} {
		for i := range list {
			list[i].Error = m.Text(list[i].Error)
		}
	}
	for i := range h.Handlers {
		h.Handlers[i].Error = m.Text(h.Handlers[i].Error)
	}
	for i := range h.Permissions {
		h.Permissions[i].Grant, h.Permissions[i].Asked = m.Text(h.Permissions[i].Grant), m.Text(h.Permissions[i].Asked)
	}
	for i := range h.Warnings {
		h.Warnings[i] = m.Text(h.Warnings[i])
	}
}
