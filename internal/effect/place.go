package effect

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// place is where a permitted file is: its directory, opened, and its name there. No symlink led to it, so it stays
// what permission was given for, whatever others do to the path meanwhile.
type place struct {
	dir  *os.Root
	name string
	path string      // that it was found at
	info os.FileInfo // nil: nothing has that name yet
	none error       // then: how the system says it
}

// errMoved says that a path is no longer what permissions were checked for.
var errMoved = errors.New("the path changes while it is used")

// errState is the refusal of what belongs to Sexton itself.
var errState = errors.New("it belongs to the state")

// use does something with the file at path, as a script wrote it, if permissions allow that. A path that changes
// between the check and the use is checked again. Errors of do that are no *Error are told as those of verb.
func (p *call) use(kind, verb, path string, how how, do func(*place) error) error {
	const most = 20
	for range most {
		real, err := p.policy.path(kind, verb, path, how != itself)
		if err != nil {
			return err
		}
		err = p.at(real, how, do)
		switch {
		case errors.Is(err, errMoved):
			continue
		case errors.Is(err, errState):
			return p.policy.forbidden(kind, path)
		case err == nil:
			return nil
		}
		return ownError(err, verb, path)
	}
	return fileError(syscall.ELOOP, verb, path)
}

// how says what a path means.
type how int

const (
	itself   how = iota // a symlink at the last element is not followed
	followed            // it is
	makeDirs            // it is, and directories on the way are made
)

func ownError(err error, verb string, paths ...string) error {
	var own *Error
	if errors.As(err, &own) {
		return own
	}
	return fileError(err, verb, paths...)
}

// at calls do with the place at a path without symlinks.
func (p *call) at(path string, how how, do func(*place) error) error {
	pl, err := p.find(path, how == makeDirs)
	if err != nil {
		return err
	}
	defer pl.dir.Close()
	if how != itself && pl.info != nil && isLink(pl.dir, pl.name, pl.info) {
		return errMoved
	}
	return do(pl)
}

func (p *call) find(path string, make bool) (*place, error) {
	private := p.policy.privateFiles()
	dir, err := openDir(filepath.Dir(path), private, make)
	if err != nil {
		return nil, err
	}
	pl := &place{dir: dir, name: filepath.Base(path), path: path}
	if filepath.Dir(path) == path {
		pl.name = "."
	}
	pl.info, pl.none = dir.Lstat(pl.name)
	if pl.none != nil {
		pl.info = nil
		if !errors.Is(pl.none, fs.ErrNotExist) {
			err = pl.none
		}
	} else if among(private, pl.info) {
		err = errState
	}
	if err != nil {
		_ = dir.Close()
		return nil, err
	}
	return pl, nil
}

// openDir opens a directory, element by element, so that what becomes a symlink meanwhile is noticed and not followed.
// It refuses to go through private directories.
func openDir(path string, private []os.FileInfo, make bool) (*os.Root, error) {
	at, rest := splitRoot(path)
	dir, err := os.OpenRoot(at)
	if err != nil {
		return nil, err
	}
	for rest != "" {
		var elem string
		if elem, rest = splitFirst(rest); elem == "" {
			continue
		}
		at = filepath.Join(at, elem)
		next, err := step(dir, elem, at, private)
		if make && dir != nil && errors.Is(err, fs.ErrNotExist) {
			if err = dir.Mkdir(elem, 0o777); err == nil || errors.Is(err, fs.ErrExist) {
				next, err = step(dir, elem, at, private)
			}
		}
		if dir != nil {
			_ = dir.Close()
		}
		if err != nil && !(rest != "" && errors.Is(err, fs.ErrPermission)) {
			return nil, err
		}
		dir = next // nil: one may go through it, and not look into it
	}
	return dir, nil
}

// step opens a directory in dir, which is nil if it cannot be opened; then path says where it is.
func step(dir *os.Root, name, path string, private []os.FileInfo) (*os.Root, error) {
	look, open, link := os.Lstat, os.OpenRoot, func(info os.FileInfo) bool { return info.Mode()&os.ModeSymlink != 0 }
	if dir != nil {
		look, open, path = dir.Lstat, dir.OpenRoot, name
		link = func(info os.FileInfo) bool { return isLink(dir, name, info) }
	}
	info, err := look(path)
	switch {
	case err != nil:
		return nil, err
	case link(info):
		return nil, errMoved
	case !info.IsDir():
		return nil, errNotDirectory
	case among(private, info):
		return nil, errState
	}
	next, err := open(path)
	if err != nil {
		if now, e := look(path); e != nil || !os.SameFile(info, now) {
			return nil, errMoved
		}
		return nil, err
	}
	if now, err := next.Stat("."); err != nil || !os.SameFile(info, now) {
		_ = next.Close()
		return nil, errors.Join(errMoved, err)
	}
	return next, nil
}

// isLink reports whether a name leads elsewhere: it is a symlink, or a junction of Windows.
func isLink(dir *os.Root, name string, info os.FileInfo) bool {
	if info.Mode()&os.ModeIrregular != 0 {
		_, err := dir.Readlink(name)
		return err == nil
	}
	return info.Mode()&os.ModeSymlink != 0
}

func among(files []os.FileInfo, info os.FileInfo) bool {
	for _, f := range files {
		if os.SameFile(f, info) {
			return true
		}
	}
	return false
}

// openFile opens the file for reading or writing, as os.OpenFile does. Nothing happens to it before it is certain that
// it is the one that was looked at.
func (pl *place) openFile(flags int) (*os.File, error) {
	switch {
	case pl.info == nil && flags&os.O_CREATE == 0:
		return nil, pl.none
	case pl.info == nil:
		file, err := pl.dir.OpenFile(pl.name, flags|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) && flags&os.O_EXCL == 0 {
			return nil, errMoved
		}
		return file, err
	case flags&os.O_EXCL != 0:
		return nil, fs.ErrExist
	}
	special := 0
	if !pl.info.Mode().IsRegular() && !pl.info.IsDir() {
		special = syscall.O_NONBLOCK // a named pipe waits for its other end, for ever
	}
	file, err := pl.dir.OpenFile(pl.name, flags&^(os.O_CREATE|os.O_TRUNC)|special, 0)
	if err != nil {
		if now, e := pl.dir.Lstat(pl.name); e != nil || !os.SameFile(pl.info, now) {
			return nil, errMoved
		}
		return nil, err
	}
	if err := pl.verify(file, flags&os.O_TRUNC != 0); err != nil {
		_ = file.Close()
		return nil, err
	}
	return file, nil
}

func (pl *place) verify(file *os.File, truncate bool) error {
	now, err := file.Stat()
	if err != nil {
		return err
	}
	if !os.SameFile(pl.info, now) {
		return errMoved
	}
	if truncate && now.Mode().IsRegular() {
		return file.Truncate(0)
	}
	return nil
}

// privateFiles are what scripts never get at, whatever is granted, as far as it exists.
func (pol *policy) privateFiles() []os.FileInfo {
	var files []os.FileInfo
	for _, path := range pol.private {
		if info, err := os.Stat(path); err == nil {
			files = append(files, info)
		}
	}
	return files
}

// holdsPrivate refuses what would take private files along: the removal or renaming of a directory that they are in.
func (pol *policy) holdsPrivate(info os.FileInfo) error {
	for _, path := range pol.private {
		for {
			if found, err := os.Lstat(path); err == nil && os.SameFile(found, info) {
				return errState
			}
			parent := filepath.Dir(path)
			if parent == path {
				break
			}
			path = parent
		}
	}
	return nil
}

// forbidden is the refusal of what no permission allows.
func (pol *policy) forbidden(kind, path string) error {
	shown := pol.show(path)
	pol.note(kind, shown, "", "")
	return &Error{Name: "PermissionDenied", Code: "ERR_ACCESS_DENIED", Message: fmt.Sprintf("%s %s is not permitted: %v of an environment", kind, shown, errState)}
}
