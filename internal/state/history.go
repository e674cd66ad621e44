package state

import (
	"bytes"
	"crypto/sha256"
	"hash"
	"path/filepath"
	"slices"
)

// The history is a sequence of lines like those of the journal, one per commit that had something to record;
// their number is the generation that the commit began. The record lies in the journal's first group as well,
// which makes it part of the commit: what a crash kept from the history is written again from there.

func historySeed(environment string) uint32 { return seedOf("sexton history " + environment) }

// historyLine is the last line of the history that belongs to s, nil if its commit recorded nothing.
func (s *scanned) historyLine() []byte {
	if s.history == nil {
		return nil
	}
	return appendLine(nil, historySeed(s.header.Environment), s.header.Generation, kindDeployment, s.history)
}

// checkHistory compares the history with the journal. missing tells that the last line has to be written
// (again) behind the first header.History.Size bytes; chain is the SHA-256 of the history with it.
func (s *scanned) checkHistory(data []byte) (chain hash.Hash, missing bool, err error) {
	before := s.header.History
	size := int64(len(data))
	if size < before.Size {
		return nil, false, corrupt(historyFile, size, "it ends, but had %d bytes when generation %d began", before.Size, s.header.Generation)
	}
	chain = sha256.New()
	chain.Write(data[:before.Size])
	if digestOf(chain.Sum(nil)) != before.Digest {
		return nil, false, corrupt(historyFile, -1, "its first %d bytes are not those of generation %d", before.Size, s.header.Generation)
	}
	last := s.historyLine()
	if size > before.Size+int64(len(last)) {
		return nil, false, corrupt(historyFile, before.Size+int64(len(last)), "it goes beyond generation %d, which the journal is of", s.header.Generation)
	}
	chain.Write(last)
	return chain, !bytes.Equal(data[before.Size:], last), nil
}

// History returns the payloads of the last n history records, newest first; all of them if n is negative.
func (d *Dir) History(n int) ([][]byte, error) {
	d.turn <- struct{}{}
	defer func() { <-d.turn }()
	data, err := readOptional(d.fs, filepath.Join(d.path, historyFile))
	if err != nil {
		return nil, err
	}
	// A reader may find it ahead of what it has opened, or behind.
	size := d.header.History.Size
	if int64(len(data)) < size {
		return nil, corrupt(historyFile, int64(len(data)), "it ends, but had %d bytes", size)
	}
	data = append(data[:size:size], d.historyLine...)
	var payloads [][]byte
	for at := 0; at < len(data); {
		l, problem := parseLine(data[at:], historySeed(d.header.Environment))
		if problem != "" {
			return nil, corrupt(historyFile, int64(at), "%s", problem)
		}
		payloads = append(payloads, l.rest)
		at += l.length
	}
	slices.Reverse(payloads)
	if n >= 0 && n < len(payloads) {
		payloads = payloads[:n]
	}
	return payloads, nil
}
