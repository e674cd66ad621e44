package runtime

import (
	"strings"

	"github.com/dop251/goja"
	"github.com/nlnwa/whatwg-url/url"
	"golang.org/x/text/encoding/unicode"
)

// maxURL is how many bytes a URL may have: the parser takes time that grows faster than its length.
const maxURL = 64 << 10

// parseURL is host.parse(text, base?): the parts of a URL, undefined if the text is none.
func (rt *Runtime) parseURL(call goja.FunctionCall) goja.Value {
	text, base := call.Argument(0), call.Argument(1)
	if tooLong(text) || tooLong(base) {
		return goja.Undefined()
	}
	var u *url.Url
	var err error
	if goja.IsUndefined(base) {
		u, err = url.Parse(text.String())
	} else {
		u, err = url.ParseRef(base.String(), text.String())
	}
	if err != nil {
		return goja.Undefined()
	}
	return rt.partsOf(u)
}

func tooLong(v goja.Value) bool {
	s, ok := v.(goja.String)
	return ok && s.Length() > maxURL
}

// partsOf lists what js/url.js takes apart.
func (rt *Runtime) partsOf(u *url.Url) goja.Value {
	return rt.stringArray(u.Href(false), u.Protocol(), u.Username(), u.Password(), u.Host(), u.Hostname(), u.Port(), u.Pathname(),
		u.Search(), u.Hash())
}

var urlSetters = map[string]func(*url.Url, string){
	"protocol": (*url.Url).SetProtocol, "username": (*url.Url).SetUsername, "password": (*url.Url).SetPassword,
	"host": (*url.Url).SetHost, "hostname": (*url.Url).SetHostname, "port": (*url.Url).SetPort,
	"pathname": (*url.Url).SetPathname, "search": (*url.Url).SetSearch, "hash": (*url.Url).SetHash,
}

// changeURL is host.change(href, part, value): the parts after that; undefined if the URL were too long.
func (rt *Runtime) changeURL(call goja.FunctionCall) goja.Value {
	value := call.Argument(2)
	u, err := url.Parse(call.Argument(0).String())
	if err != nil || tooLong(value) {
		return goja.Undefined()
	}
	urlSetters[call.Argument(1).String()](u, value.String())
	if len(u.Href(false)) > maxURL {
		return goja.Undefined()
	}
	return rt.partsOf(u)
}

// parseQuery is host.parseQuery(text): names and values in turns, as application/x-www-form-urlencoded has them.
func (rt *Runtime) parseQuery(call goja.FunctionCall) goja.Value {
	var list []string
	for pair := range strings.SplitSeq(rt.textArgument("URLSearchParams", call.Argument(0), 1), "&") {
		if pair != "" {
			name, value, _ := strings.Cut(pair, "=")
			list = append(list, unescapeForm(name), unescapeForm(value))
		}
	}
	return rt.stringArray(list...)
}

func unescapeForm(s string) string {
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '+':
			out = append(out, ' ')
		case c == '%' && i+2 < len(s) && unhex(s[i+1]) >= 0 && unhex(s[i+2]) >= 0:
			out = append(out, byte(unhex(s[i+1])<<4|unhex(s[i+2])))
			i += 2
		default:
			out = append(out, c)
		}
	}
	text, _ := decode(unicode.UTF8, out, true)
	return string(text)
}

// unhex is the value of a hexadecimal digit, -1 of what is none.
func unhex(c byte) int {
	if c >= 'A' && c <= 'F' {
		c += 'a' - 'A'
	}
	return strings.IndexByte("0123456789abcdef", c)
}

// formatQuery is host.formatQuery(list): the same as text.
func (rt *Runtime) formatQuery(call goja.FunctionCall) goja.Value {
	list, _ := call.Argument(0).Export().([]any)
	var b strings.Builder
	for i, v := range list {
		s, _ := v.(string)
		switch {
		case i == 0:
		case i%2 == 0:
			b.WriteByte('&')
		default:
			b.WriteByte('=')
		}
		escapeForm(&b, s)
		rt.claim("URLSearchParams", int64(b.Len()))
	}
	return rt.vm.ToValue(b.String())
}

func escapeForm(b *strings.Builder, s string) {
	const digits = "0123456789ABCDEF"
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("*-._", c) >= 0:
			b.WriteByte(c)
		case c == ' ':
			b.WriteByte('+')
		default:
			b.WriteByte('%')
			b.WriteByte(digits[c>>4])
			b.WriteByte(digits[c&15])
		}
	}
}
