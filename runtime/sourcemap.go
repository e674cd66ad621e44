package runtime

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"
)

// sourceMap is a source map, version 3 (tc39.es/source-map).
type sourceMap struct {
	sources []string
	names   []string
	lines   [][]segment
	// shifted is the map for goja, which looks up columns that begin with 1 where maps begin with 0,
	// and returns what it finds: here all columns begin with 1.
	shifted []byte
}

// segment says where the code from a column on comes from, and what it is called there, if it was
// renamed; lines and columns begin with 0, no name is -1.
type segment struct{ column, source, line, sourceColumn, name int }

func parseSourceMap(text string) (*sourceMap, error) {
	var m struct {
		Version  int      `json:"version"`
		Sources  []string `json:"sources"`
		Names    []string `json:"names"`
		Mappings string   `json:"mappings"`
	}
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		return nil, fmt.Errorf("source map: %w", err)
	}
	sm := &sourceMap{sources: m.Sources, names: m.Names}
	var shifted strings.Builder
	var pos segment
	name := 0
	first := true // no segment with a source was met
	for i, line := range strings.Split(m.Mappings, ";") {
		if i > 0 {
			shifted.WriteByte(';')
		}
		pos.column = 0
		var segments []segment
		for k, text := range strings.Split(line, ",") {
			if text == "" {
				continue
			}
			fields, err := decodeVLQ(text)
			if err != nil {
				return nil, err
			}
			pos.column += fields[0]
			if len(fields) >= 4 {
				pos.source += fields[1]
				pos.line += fields[2]
				pos.sourceColumn += fields[3]
				pos.name = -1
				if len(fields) >= 5 {
					name += fields[4]
					pos.name = name
				}
				segments = append(segments, pos)
			}
			// All numbers but a line's first column are relative.
			if k == 0 {
				fields[0]++
			} else {
				shifted.WriteByte(',')
			}
			if first && len(fields) >= 4 {
				fields[3]++
				first = false
			}
			for _, f := range fields {
				encodeVLQ(&shifted, f)
			}
		}
		sm.lines = append(sm.lines, segments)
	}
	m.Mappings = shifted.String()
	var err error
	sm.shifted, err = json.Marshal(m)
	return sm, err
}

// original finds where a line and column (from 1) of the bundle come from.
func (m *sourceMap) original(line, column int) (file string, l, c int) {
	s := m.segment(line, column)
	if s == nil || s.source >= len(m.sources) {
		return "", 0, 0
	}
	return sourceName(m.sources[s.source]), s.line + 1, s.sourceColumn + 1
}

// originalName is what the identifier at a line and column (from 1) is called in the source, if the
// bundle calls it otherwise; else "".
func (m *sourceMap) originalName(line, column int) string {
	s := m.segment(line, column)
	if s == nil || s.column != column-1 || s.name < 0 || s.name >= len(m.names) {
		return ""
	}
	return m.names[s.name]
}

// segment is the one that covers a line and column (from 1), nil if there is none.
func (m *sourceMap) segment(line, column int) *segment {
	if line < 1 || line > len(m.lines) {
		return nil
	}
	segments := m.lines[line-1]
	i := sort.Search(len(segments), func(i int) bool { return segments[i].column > column-1 })
	if i == 0 {
		return nil
	}
	return &segments[i-1]
}

const vlqDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

func decodeVLQ(s string) ([]int, error) {
	var fields []int
	value, shift := 0, 0
	for i := range len(s) {
		digit := strings.IndexByte(vlqDigits, s[i])
		if digit < 0 || shift > 30 {
			return nil, fmt.Errorf("source map: bad mapping %q", s)
		}
		value |= (digit & 31) << shift
		if digit&32 != 0 {
			shift += 5
			continue
		}
		if value&1 != 0 {
			value = -(value >> 1)
		} else {
			value >>= 1
		}
		fields = append(fields, value)
		value, shift = 0, 0
	}
	if len(fields) == 0 || shift != 0 {
		return nil, fmt.Errorf("source map: bad mapping %q", s)
	}
	return fields, nil
}

func encodeVLQ(b *strings.Builder, v int) {
	if v < 0 {
		v = -v<<1 | 1
	} else {
		v <<= 1
	}
	for {
		digit := v & 31
		v >>= 5
		if v == 0 {
			b.WriteByte(vlqDigits[digit])
			return
		}
		b.WriteByte(vlqDigits[digit|32])
	}
}
