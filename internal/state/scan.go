package state

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
)

// Tail is what a crash left behind the last whole group of a journal: the beginning of groups that were
// never acknowledged.
type Tail struct {
	Offset int64 // where it begins
	Size   int64 // in bytes
	Reason string
}

// scanned is what a journal says.
type scanned struct {
	journal
	header  header
	meta    []byte
	history []byte
	records []Record
	groups  int   // without the first one
	begin   int64 // bytes of the first group
	tail    *Tail

	mark *mark // nil if there is none
	met  bool  // the journal goes through what was marked
}

// scanJournal reads a journal. Payloads are parts of data. It tells the remains of a crash (tail) from
// damage (error) as the package comment says. Together with an error it returns what comes in front of
// the damage, nil if the first group cannot be read.
func scanJournal(data []byte, m *mark) (*scanned, error) {
	s := &scanned{journal: journal{chain: sha256.New()}, mark: m}
	if err := s.first(data); err != nil {
		return nil, err
	}
	for s.size < int64(len(data)) {
		at, problem, torn := s.group(data, s.size, s.size)
		if problem == "" {
			s.groups++
			continue
		}
		if !torn || s.marked() > s.size || acknowledgedLater(data[s.size:], s.seed, s.size) {
			return s, &CorruptError{File: journalFile, Offset: at, Reason: problem, Intact: s.groups}
		}
		s.tail = &Tail{Offset: s.size, Size: int64(len(data)) - s.size, Reason: problem}
		break
	}
	return s, s.compareMark()
}

// first reads the version and the first group.
func (s *scanned) first(data []byte) error {
	top, _, _ := bytes.Cut(data, []byte{'\n'})
	digits, ok := bytes.CutPrefix(top, []byte(journalMagic))
	version, err := strconv.ParseUint(string(digits), 10, 32)
	switch {
	case !ok || err != nil || version < 1 || digits[0] == '0':
		return corrupt(journalFile, 0, "it is no journal of sexton")
	case version > formatVersion:
		return fmt.Errorf("%w: journal format %d, known up to %d", ErrNewerVersion, version, formatVersion)
	}
	at := int64(min(len(top)+1, len(data)))
	l, problem := parseLine(data[at:], headerSeed())
	if problem == "" && (l.kind != kindHeader || json.Unmarshal(l.rest, &s.header) != nil) {
		problem = "its header cannot be understood"
	}
	if problem == "" {
		s.seed, s.seq = l.crc, l.seq
		at, problem, _ = s.group(data, 0, at+int64(l.length))
	}
	if problem != "" {
		return corrupt(journalFile, at, "%s", problem)
	}
	s.begin = s.size
	if len(s.records) > 0 && s.records[0].Kind == kindMeta {
		s.meta, s.records = s.records[0].Payload, s.records[1:]
	}
	if len(s.records) > 0 && s.records[0].Kind == kindHistory {
		s.history, s.records = s.records[0].Payload, s.records[1:]
	}
	return nil
}

// group reads the rest, from pos on, of the group that begins at start. On failure it says where and why,
// and whether a crash can have done it: a record that is whole but not in its place was moved by
// somebody. Then s is good for reading only.
func (s *scanned) group(data []byte, start, pos int64) (at int64, problem string, torn bool) {
	records, seq := s.records, s.seq
	for {
		l, problem := parseLine(data[pos:], s.seed)
		if problem != "" {
			return pos, problem, true
		}
		if l.seq != seq+1 {
			return pos, fmt.Sprintf("record %d follows record %d", l.seq, seq), false
		}
		seq++
		next := pos + int64(l.length)
		if l.kind != kindEnd {
			records = append(records, Record{l.kind, l.rest})
			pos = next
			continue
		}
		s.chain.Write(data[start:pos])
		if !bytes.HasPrefix(l.rest, hex.AppendEncode(nil, s.chain.Sum(nil))) {
			return pos, "the records in front of this one are not those that were written", false
		}
		s.chain.Write(data[pos:next])
		s.records, s.seq, s.size = records, seq, next
		if s.marked() == s.size {
			s.met = s.mark.digest == s.digest()
		}
		return next, "", false
	}
}

// marked is how much of this journal was acknowledged according to the mark, 0 if it does not say.
func (s *scanned) marked() int64 {
	if s.mark == nil || s.mark.environment != s.header.Environment || s.mark.generation != s.header.Generation {
		return 0
	}
	return s.mark.size
}

// compareMark finds journals that are whole but not the one that was acknowledged.
func (s *scanned) compareMark() error {
	m, h := s.mark, &s.header
	switch {
	case m == nil:
		return nil
	case m.environment != h.Environment:
		return corrupt(markFile, -1, "it is of environment %s, the journal of %s", m.environment, h.Environment)
	case m.generation > h.Generation:
		return corrupt(journalFile, -1, "it is of generation %d, but generation %d was acknowledged", h.Generation, m.generation)
	case s.marked() > 0 && !s.met:
		return &CorruptError{File: journalFile, Offset: min(s.size, m.size), Intact: s.groups,
			Reason: fmt.Sprintf("the %d bytes that were acknowledged are not there", m.size)}
	}
	return nil
}

// acknowledgedLater looks behind the damage at the beginning of data, which lies at offset base of the journal,
// for the end of a group that was begun when more than base bytes were durable.
func acknowledgedLater(data []byte, seed uint32, base int64) bool {
	for {
		i := bytes.IndexByte(data, '\n')
		if i < 0 {
			return false
		}
		data = data[i+1:]
		l, problem := parseLine(data, seed)
		if problem != "" || l.kind != kindEnd || len(l.rest) < 16 {
			continue
		}
		if durable, ok := parseHex(l.rest[len(l.rest)-16:]); ok && int64(durable) > base {
			return true
		}
	}
}
