package runtime

import (
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"hash"

	"github.com/dop251/goja"
	"github.com/google/uuid"
)

// digests are the algorithms of crypto.subtle.digest.
var digests = map[string]func() hash.Hash{
	"SHA-1": sha1.New, "SHA-256": sha256.New, "SHA-384": sha512.New384, "SHA-512": sha512.New,
}

// digest is host.digest(algorithm, bytes): an ArrayBuffer, undefined for an algorithm that there is not.
func (rt *Runtime) digest(call goja.FunctionCall) goja.Value {
	make := digests[call.Argument(0).String()]
	if make == nil {
		return goja.Undefined()
	}
	h := make()
	h.Write(bytesArgument(call.Argument(1)))
	return rt.arrayBuffer(h.Sum(nil))
}

// randomBytes is host.random(bytes): fills them.
func (rt *Runtime) randomBytes(call goja.FunctionCall) goja.Value {
	_, _ = rand.Read(bytesArgument(call.Argument(0))) // never fails
	return goja.Undefined()
}

// randomUUID is host.uuid(): a version 4 UUID.
func (rt *Runtime) randomUUID(goja.FunctionCall) goja.Value { return rt.vm.ToValue(uuid.NewString()) }
