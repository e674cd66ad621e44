package runtime

import (
	"bytes"
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dop251/goja"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/transform"
)

// textArgument returns an argument that the library's scripts have made a string, and claims the memory of it n times over.
func (rt *Runtime) textArgument(what string, v goja.Value, n int64) string {
	s, ok := v.(goja.String)
	if !ok {
		return v.String()
	}
	rt.claim(what, n*int64(s.Length()))
	return s.String()
}

// encodeUTF8 is host.encode(text): an ArrayBuffer. Halves of surrogate pairs become U+FFFD.
func (rt *Runtime) encodeUTF8(call goja.FunctionCall) goja.Value {
	text := rt.textArgument("encoding", call.Argument(0), 1)
	rt.claim("encoding", int64(len(text)))
	return rt.arrayBuffer([]byte(text))
}

// encodingName is host.encoding(label): the name that the encoding standard has for a label; undefined for what is
// none, or cannot be decoded piece by piece.
func (rt *Runtime) encodingName(call goja.FunctionCall) goja.Value {
	e, err := htmlindex.Get(strings.Trim(call.Argument(0).String(), "\t\n\f\r "))
	if err != nil {
		return goja.Undefined()
	}
	name, err := htmlindex.Name(e)
	if err != nil || name == "replacement" || name == "iso-2022-jp" || name == "x-user-defined" {
		return goja.Undefined()
	}
	return rt.vm.ToValue(name)
}

// decodeText is host.decode(encoding, bytes, all, fatal): [text, how many bytes it is of]. Unless these are all, the
// beginning of a character at the end is left. If it is fatal, bytes that stand for nothing make it undefined.
func (rt *Runtime) decodeText(call goja.FunctionCall) goja.Value {
	e, err := htmlindex.Get(call.Argument(0).String())
	if err != nil {
		return goja.Undefined()
	}
	data, all, fatal := bytesArgument(call.Argument(1)), call.Argument(2).ToBoolean(), call.Argument(3).ToBoolean()
	rt.claim("decoding", int64(len(data)))
	text, taken := decode(e, data, all)
	if fatal && bytes.ContainsRune(text, utf8.RuneError) && !bytes.Equal(reencoded(e, text), data[:taken]) {
		return goja.Undefined()
	}
	return rt.vm.NewArray(string(text), taken)
}

// decode decodes as much as it can. Bytes that stand for nothing become U+FFFD.
func decode(e encoding.Encoding, data []byte, all bool) (text []byte, taken int) {
	decoder := e.NewDecoder()
	text = make([]byte, 0, len(data)+utf8.UTFMax)
	for {
		n, read, err := decoder.Transform(text[len(text):cap(text)], data[taken:], all)
		text, taken = text[:len(text)+n], taken+read
		if !errors.Is(err, transform.ErrShortDst) {
			return text, taken
		}
		text = slices.Grow(text, cap(text))
	}
}

// reencoded is what a text was decoded of, if that was valid.
func reencoded(e encoding.Encoding, text []byte) []byte {
	data, err := e.NewEncoder().Bytes(text)
	if err != nil {
		return nil
	}
	return data
}

var base64Spaces = strings.NewReplacer(" ", "", "\t", "", "\n", "", "\f", "", "\r", "")

// decodeBinary is host.atob(text): a string of bytes; undefined if the text is not what base64 makes.
func (rt *Runtime) decodeBinary(call goja.FunctionCall) goja.Value {
	text := base64Spaces.Replace(rt.textArgument("atob", call.Argument(0), 1))
	if len(text)%4 == 0 {
		text = strings.TrimSuffix(strings.TrimSuffix(text, "="), "=")
	}
	data, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		return goja.Undefined()
	}
	return rt.vm.ToValue(latin1Text(data))
}

// encodeBinary is host.btoa(text); undefined if the text is no string of bytes.
func (rt *Runtime) encodeBinary(call goja.FunctionCall) goja.Value {
	data, ok := latin1Bytes(rt.textArgument("btoa", call.Argument(0), 2))
	if !ok {
		return goja.Undefined()
	}
	return rt.vm.ToValue(base64.StdEncoding.EncodeToString(data))
}

// latin1Text has a character for each byte.
func latin1Text(data []byte) string {
	var b strings.Builder
	b.Grow(len(data))
	for _, c := range data {
		b.WriteRune(rune(c))
	}
	return b.String()
}

// latin1Bytes has a byte for each character: the lower half of its code. ok: there is no upper half.
func latin1Bytes(text string) (data []byte, ok bool) {
	data, ok = make([]byte, 0, len(text)), true
	for _, r := range text {
		data = append(data, byte(r))
		ok = ok && r < 0x100
	}
	return data, ok
}
