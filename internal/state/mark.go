package state

import (
	"bytes"
	"fmt"
	"strconv"
	"sync"
)

// mark says how far a journal was acknowledged. It is written after the fsync that made it true and not
// synced itself: it may be behind, never ahead.
type mark struct {
	environment string
	generation  uint64
	size        int64  // bytes of the journal
	digest      string // of these bytes
}

// The mark file has two slots that are written in turn, each in its own sector: one that is torn
// leaves the other.
const (
	markSlots    = 2
	markSlotSize = 512
	kindMark     = Kind("mark")
)

var markSeed = sync.OnceValue(func() uint32 { return seedOf("sexton mark") })

func (m *mark) encode() []byte {
	payload := fmt.Appendf(nil, "%s %d %s", m.environment, m.size, m.digest)
	return appendLine(nil, markSeed(), m.generation, kindMark, payload)
}

// readMark returns the furthest mark of the file and the slot that it lies in, nil if there is none.
func readMark(data []byte) (best *mark, slot int) {
	for i := range markSlots {
		if len(data) <= i*markSlotSize {
			break
		}
		l, problem := parseLine(data[i*markSlotSize:], markSeed())
		fields := bytes.Fields(l.rest)
		if problem != "" || l.kind != kindMark || len(fields) != 3 {
			continue
		}
		size, err := strconv.ParseInt(string(fields[1]), 10, 64)
		if err != nil {
			continue
		}
		m := &mark{environment: string(fields[0]), generation: l.seq, size: size, digest: string(fields[2])}
		if best == nil || m.generation > best.generation || m.generation == best.generation && m.size > best.size {
			best, slot = m, i
		}
	}
	return best, slot
}
