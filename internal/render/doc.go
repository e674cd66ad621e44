// Package render turns plain data into text for people: trees, tables, excerpts of sources, lines that
// are drawn again while something runs. It writes no colour unless it is told to, and knows nothing of
// what the text is about.
package render
