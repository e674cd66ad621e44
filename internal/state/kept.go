package state

import (
	"cmp"
	"path/filepath"
	"slices"
)

// Kept returns the snapshot that was current until the end of a generation, nil if it is not kept, and which ones
// there are, newest first. fsys is as in Options. It takes no lock, and does not verify what it returns.
func Kept(dir string, fsys FS, generation uint64) (snapshot []byte, kept []uint64, err error) {
	fsys = cmp.Or(fsys, OS)
	present, err := exists(fsys, dir)
	if err != nil || !present {
		return nil, nil, err
	}
	names, err := fsys.ReadDir(dir)
	if err != nil {
		return nil, nil, err
	}
	for _, name := range names {
		if g, ok := keptGeneration(name); ok {
			kept = append(kept, g)
		}
	}
	slices.Sort(kept)
	slices.Reverse(kept)
	if slices.Contains(kept, generation) {
		snapshot, err = readOptional(fsys, filepath.Join(dir, keptFile(generation)))
	}
	return snapshot, kept, err
}
