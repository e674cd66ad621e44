package state

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"sync"
)

// A journal begins with the line "sexton journal <version>". Its first group is the header record, the
// caller's meta, the history record of the commit that began it, and the records that were carried over. It
// is written before the journal gets its name, so it is never torn.
const (
	journalMagic  = "sexton journal "
	formatVersion = 1
)

// header says which state a journal continues.
type header struct {
	Environment string `json:"environment"`        // UUID, never changes
	Generation  uint64 `json:"generation"`         // 0 for an environment without a commit
	Snapshot    string `json:"snapshot,omitempty"` // digest of snapshot.json; empty if there is none
	Previous    string `json:"previous,omitempty"` // digest of the whole journal of the generation before
	History     extent `json:"history"`            // the history without the record of this commit
	Kept        []kept `json:"kept,omitempty"`     // earlier snapshots, newest first
}

type extent struct {
	Size   int64  `json:"size"`
	Digest string `json:"digest"`
}

type kept struct {
	Generation uint64 `json:"generation"` // the last one that it was current in
	Digest     string `json:"digest"`
}

// journal is the position behind the last whole group, where the next one goes.
type journal struct {
	seed  uint32
	seq   uint64    // of the last record; grows over the generations
	size  int64     // bytes
	chain hash.Hash // SHA-256 of these bytes
}

// appendGroup encodes a group. durable is how much of the journal is on the disk by now.
func (j *journal) appendGroup(buf []byte, group []Record, durable int64) []byte {
	start := len(buf)
	for _, r := range group {
		j.seq++
		buf = appendLine(buf, j.seed, j.seq, r.Kind, r.Payload)
	}
	return j.appendEnd(buf, start, durable)
}

// appendEnd ends the group whose records begin at buf[start].
func (j *journal) appendEnd(buf []byte, start int, durable int64) []byte {
	j.chain.Write(buf[start:])
	end := len(buf)
	j.seq++
	buf = appendLine(buf, j.seed, j.seq, kindEnd, endPayload(j.chain.Sum(nil), durable))
	j.chain.Write(buf[end:])
	j.size += int64(len(buf) - start)
	return buf
}

func endPayload(sum []byte, durable int64) []byte {
	p := make([]byte, 0, 2*sha256.Size+1+16)
	p = append(hex.AppendEncode(p, sum), ' ')
	return appendHex(p, uint64(durable), 16)
}

// digest is that of the whole journal.
func (j *journal) digest() string { return digestOf(j.chain.Sum(nil)) }

// digestOf spells a SHA-256 as headers do.
func digestOf(sum []byte) string { return "sha256:" + hex.EncodeToString(sum) }

// digest is that of the content of a file.
func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return digestOf(sum[:])
}

var headerSeed = sync.OnceValue(func() uint32 { return seedOf("sexton journal") })

// newJournal encodes a journal that holds its first group only.
func newJournal(h *header, seq uint64, meta, history []byte, carry []Record) ([]byte, journal, error) {
	payload, err := json.Marshal(h)
	if err != nil {
		return nil, journal{}, err
	}
	buf := fmt.Appendf(nil, "%s%d\n", journalMagic, formatVersion)
	first := len(buf)
	buf = appendLine(buf, headerSeed(), seq+1, kindHeader, payload)
	crc, _ := parseHex(buf[first : first+8])
	// Everything behind the header is seeded with its checksum: it fits into this generation only.
	j := journal{seed: uint32(crc), seq: seq + 1, chain: sha256.New()}
	var group []Record
	if meta != nil {
		group = append(group, Record{kindMeta, meta})
	}
	if history != nil {
		group = append(group, Record{kindHistory, history})
	}
	for _, r := range append(group, carry...) {
		j.seq++
		buf = appendLine(buf, j.seed, j.seq, r.Kind, r.Payload)
	}
	return j.appendEnd(buf, 0, 0), j, nil
}
