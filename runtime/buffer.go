package runtime

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/dop251/goja"
	"golang.org/x/text/encoding/unicode"
)

// bufferBytes is host.toBytes(text, encoding): an ArrayBuffer with what Buffer.from makes of a text.
func (rt *Runtime) bufferBytes(call goja.FunctionCall) goja.Value {
	data := bytesOfText(rt.textArgument("Buffer.from", call.Argument(0), 1), call.Argument(1).String())
	rt.claim("Buffer.from", int64(len(data)))
	return rt.arrayBuffer(data)
}

// bufferByteLength is host.byteLength(text, encoding).
func (rt *Runtime) bufferByteLength(call goja.FunctionCall) goja.Value {
	return rt.vm.ToValue(len(bytesOfText(rt.textArgument("Buffer.byteLength", call.Argument(0), 1), call.Argument(1).String())))
}

func bytesOfText(text, encoding string) []byte {
	switch encoding {
	case "hex":
		for i := range text {
			if unhex(text[i]) < 0 {
				text = text[:i]
				break
			}
		}
		data, _ := hex.DecodeString(text[:len(text)&^1]) // there is nothing else in it
		return data
	case "base64", "base64url":
		return lenientBase64(text)
	case "latin1", "ascii":
		data, _ := latin1Bytes(text)
		return data
	case "utf16le":
		data := make([]byte, 0, 2*len(text))
		for _, unit := range utf16.Encode([]rune(text)) {
			data = append(data, byte(unit), byte(unit>>8))
		}
		return data
	}
	return []byte(text)
}

// lenientBase64 decodes both alphabets of base64 up to the first =. Other characters are passed over.
func lenientBase64(text string) []byte {
	text, _, _ = strings.Cut(text, "=")
	digits := make([]byte, 0, len(text))
	for i := range len(text) {
		switch c := text[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '+', c == '/':
			digits = append(digits, c)
		case c == '-':
			digits = append(digits, '+')
		case c == '_':
			digits = append(digits, '/')
		}
	}
	if len(digits)%4 == 1 { // six bits are no byte
		digits = digits[:len(digits)-1]
	}
	data, _ := base64.RawStdEncoding.DecodeString(string(digits)) // there is nothing else in it
	return data
}

// bufferText is host.toText(bytes, encoding).
func (rt *Runtime) bufferText(call goja.FunctionCall) goja.Value {
	data := bytesArgument(call.Argument(0))
	rt.claim("Buffer.toString", 2*int64(len(data)))
	return rt.vm.ToValue(textOfBytes(data, call.Argument(1).String()))
}

func textOfBytes(data []byte, encoding string) string {
	switch encoding {
	case "hex":
		return hex.EncodeToString(data)
	case "base64":
		return base64.StdEncoding.EncodeToString(data)
	case "base64url":
		return base64.RawURLEncoding.EncodeToString(data)
	case "latin1":
		return latin1Text(data)
	case "ascii":
		text := slices.Clone(data)
		for i := range text {
			text[i] &= 0x7f
		}
		return string(text)
	case "utf16le":
		text, _ := decode(unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), data[:len(data)&^1], true)
		return string(text)
	}
	text, _ := decode(unicode.UTF8, data, true)
	return string(text)
}

// compareBytes is host.compare(a, b): -1, 0 or 1.
func (rt *Runtime) compareBytes(call goja.FunctionCall) goja.Value {
	return rt.vm.ToValue(bytes.Compare(bytesArgument(call.Argument(0)), bytesArgument(call.Argument(1))))
}

// indexOfBytes is host.indexOf(bytes, part, from).
func (rt *Runtime) indexOfBytes(call goja.FunctionCall) goja.Value {
	from := int(call.Argument(2).ToInteger())
	i := bytes.Index(bytesArgument(call.Argument(0))[from:], bytesArgument(call.Argument(1)))
	if i >= 0 {
		i += from
	}
	return rt.vm.ToValue(i)
}

// lastIndexOfBytes is host.lastIndexOf(bytes, part, last): the part begins at last or before.
func (rt *Runtime) lastIndexOfBytes(call goja.FunctionCall) goja.Value {
	data, part := bytesArgument(call.Argument(0)), bytesArgument(call.Argument(1))
	end := min(int(call.Argument(2).ToInteger())+len(part), len(data))
	return rt.vm.ToValue(bytes.LastIndex(data[:end], part))
}

// swapBytes is host.swap(bytes, size): turns around each number of that many bytes.
func (rt *Runtime) swapBytes(call goja.FunctionCall) goja.Value {
	for number := range slices.Chunk(bytesArgument(call.Argument(0)), int(call.Argument(1).ToInteger())) {
		slices.Reverse(number)
	}
	return goja.Undefined()
}
