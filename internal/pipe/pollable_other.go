//go:build !unix

package pipe

import "os"

// Pollable returns f.
func Pollable(f *os.File) *os.File { return f }
