package scenario

import "encoding/json"

// FormatVersion is the version of the json reporter's lines. It changes when a field changes its meaning
// or disappears; new fields and types of events may come without.
const FormatVersion = 1

// jsonLines prints one event per line, and a last line of type "summary".
type jsonLines struct{ *printer }

func (r *jsonLines) Report(e *Event) error {
	return r.line(struct {
		Version int `json:"version"`
		*Event
	}{FormatVersion, e})
}

func (r *jsonLines) Close(s *Summary) error {
	return r.line(struct {
		Version int    `json:"version"`
		Type    string `json:"type"`
		*Summary
		DurationMS float64 `json:"durationMs"`
		OK         bool    `json:"ok"`
	}{FormatVersion, "summary", s, milliseconds(s.Duration), s.OK()})
}

func (r *jsonLines) line(v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	r.printf("%s\n", text)
	return r.err
}
