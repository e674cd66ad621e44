package state

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"sync"
)

// Kind says what a record is about. Kinds are lower-case letters.
type Kind string

// The kinds that Sexton appends. What their payloads hold is settled by those who append them.
const (
	Checkpoint Kind = "checkpoint" // objects created, changed and removed
	Plan       Kind = "plan"       // a destruction plan, before its first notification
	Notified   Kind = "notified"   // a subscriber was told
	Destroyed  Kind = "destroyed"  // a destroy() ended well
	Failed     Kind = "failed"     // a destroy() ended badly
	Intent     Kind = "intent"     // an effect is about to start
	Outcome    Kind = "outcome"    // an effect ended
	Phase      Kind = "phase"      // a deployment entered its next phase
	Reserved   Kind = "reserved"   // incarnations, before the first of them is given out
)

// The kinds of this package's own records.
const (
	kindHeader     Kind = "header"
	kindMeta       Kind = "meta"
	kindHistory    Kind = "history"
	kindEnd        Kind = "end"
	kindDeployment Kind = "deployment"
)

// Record is one entry of the journal. The payload is opaque here; by convention it is JSON on one line,
// which makes the journal readable.
type Record struct {
	Kind    Kind
	Payload []byte
}

// maxLine limits a record, so that a damaged length cannot ask for more than a file can sensibly hold.
const maxLine = 1 << 30

// check refuses what Append must not write.
func (r Record) check() error {
	switch r.Kind {
	case kindHeader, kindMeta, kindHistory, kindEnd, kindDeployment:
		return fmt.Errorf("record kind %q is reserved", r.Kind)
	}
	if !validKind(string(r.Kind)) {
		return fmt.Errorf("record kind %q: want lower-case letters", r.Kind)
	}
	if len(r.Payload) > maxLine/2 {
		return fmt.Errorf("%s record of %d bytes: want at most %d", r.Kind, len(r.Payload), maxLine/2)
	}
	return nil
}

func validKind(kind string) bool {
	for _, c := range []byte(kind) {
		if c < 'a' || c > 'z' {
			return false
		}
	}
	return kind != ""
}

// A line is how a record lies on disk, in the journal and in the history:
//
//	crc:8 SP length:8 SP seq:16 SP kind SP payload LF
//
// Numbers are lower-case hexadecimal of fixed width. The length counts kind, space and payload. The CRC-32C
// covers everything after it up to the LF, and the seed, which stands for the file's identity.
const (
	linePrefix = 8 + 1 + 8 + 1 + 16 + 1
	lengthAt   = 8 + 1
	seqAt      = lengthAt + 8 + 1
)

var castagnoli = sync.OnceValue(func() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) })

func appendLine(buf []byte, seed uint32, seq uint64, kind Kind, payload []byte) []byte {
	start := len(buf)
	buf = append(buf, "00000000 "...)
	buf = appendHex(buf, uint64(len(kind)+1+len(payload)), 8)
	buf = append(buf, ' ')
	buf = appendHex(buf, seq, 16)
	buf = append(buf, ' ')
	buf = append(buf, kind...)
	buf = append(buf, ' ')
	buf = append(buf, payload...)
	crc := crc32.Update(seed, castagnoli(), buf[start+lengthAt:])
	appendHex(buf[:start], uint64(crc), 8)
	return append(buf, '\n')
}

type line struct {
	crc    uint32
	seq    uint64
	kind   Kind
	rest   []byte // payload
	length int    // of the whole line
}

// parseLine reads the line at the beginning of data. On failure it says what does not fit.
func parseLine(data []byte, seed uint32) (l line, problem string) {
	if len(data) < linePrefix {
		return l, "record is cut off"
	}
	crc, ok1 := parseHex(data[:8])
	length, ok2 := parseHex(data[lengthAt : lengthAt+8])
	seq, ok3 := parseHex(data[seqAt : seqAt+16])
	if !ok1 || !ok2 || !ok3 || length > maxLine {
		return l, "no record begins here"
	}
	l.crc, l.seq, l.length = uint32(crc), seq, linePrefix+int(length)+1
	if len(data) < l.length {
		return l, "record is cut off"
	}
	if crc32.Update(seed, castagnoli(), data[lengthAt:l.length-1]) != l.crc || data[8] != ' ' || data[l.length-1] != '\n' {
		return l, "checksum does not match"
	}
	body := data[linePrefix : l.length-1]
	for i, c := range body {
		if c == ' ' {
			l.kind, l.rest = Kind(body[:i]), body[i+1:len(body):len(body)]
			break
		}
	}
	if !validKind(string(l.kind)) {
		return l, "record has no kind"
	}
	return l, ""
}

const hexDigits = "0123456789abcdef"

func appendHex(buf []byte, v uint64, width int) []byte {
	for i := width - 1; i >= 0; i-- {
		buf = append(buf, hexDigits[v>>(4*i)&15])
	}
	return buf
}

// parseHex is strict, so that a number has one spelling only.
func parseHex(s []byte) (v uint64, ok bool) {
	for _, c := range s {
		switch {
		case c >= '0' && c <= '9':
			v = v<<4 | uint64(c-'0')
		case c >= 'a' && c <= 'f':
			v = v<<4 | uint64(c-'a'+10)
		default:
			return 0, false
		}
	}
	return v, true
}

// seedOf condenses the identity of a file, so that lines of other files do not fit.
func seedOf(identity string) uint32 {
	return crc32.Checksum(binary.BigEndian.AppendUint32([]byte(identity), uint32(len(identity))), castagnoli())
}
