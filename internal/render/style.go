package render

// Style says how text is set off. The zero value does not.
type Style struct{ Color bool }

// Colour is what text is set off with.
type Colour string

// The colours, as parameters of the SGR escape sequence.
const (
	Red    Colour = "31"
	Green  Colour = "32"
	Yellow Colour = "33"
	Bold   Colour = "1"
	Faint  Colour = "2"
)

// Paint sets text off, if the style does that at all. Without a colour it returns text as it is.
func (s Style) Paint(c Colour, text string) string {
	if !s.Color || c == "" || text == "" {
		return text
	}
	return "\x1b[" + string(c) + "m" + text + "\x1b[0m"
}
