package effect

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// maxFile is the largest file that a script can read at once, in bytes.
const maxFile = 256 << 20

type pathArgs struct {
	Path string `json:"path"`
}

type readFileArgs struct {
	Path     string `json:"path"`
	Encoding string `json:"encoding"`
}

func (p *call) readFile(ctx context.Context, a *readFileArgs) (any, error) {
	var data []byte
	err := p.use("read", "open", a.Path, followed, func(pl *place) error {
		file, err := pl.openFile(os.O_RDONLY)
		if err != nil {
			return err
		}
		defer file.Close()
		defer p.hurry(ctx, file)()
		if data, err = io.ReadAll(io.LimitReader(file, maxFile+1)); err != nil {
			return p.interrupted(ctx, err, "read", a.Path)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(data) > maxFile {
		return nil, &Error{Name: "RangeError", Code: "ERR_FS_FILE_TOO_LARGE", Message: "file '" + a.Path + "' is larger than 256 MiB"}
	}
	return encode(data, a.Encoding)
}

// hurry has reads and writes of a file that may wait for others (a named pipe, a terminal) fail when ctx is done, or
// the Performer closes. The result ends that.
func (p *call) hurry(ctx context.Context, file *os.File) (stop func()) {
	fail := func() { _ = file.SetDeadline(time.Unix(1, 0)) } // what has no deadlines does not wait
	stops := []func() bool{context.AfterFunc(ctx, fail), context.AfterFunc(p.Performer.open, fail)}
	return func() {
		for _, stop := range stops {
			stop()
		}
	}
}

// interrupted is the error of a read or write, or that it was cancelled.
func (p *call) interrupted(ctx context.Context, err error, verb, path string) error {
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		return fileError(err, verb, path)
	}
	if ctx.Err() != nil {
		return cancelled(ctx, verb+" '"+clean(path)+"'")
	}
	return errClosed
}

type writeFileArgs struct {
	Path      string `json:"path"`
	Data      string `json:"data"`
	Encoding  string `json:"encoding"`
	Append    bool   `json:"append"`
	Exclusive bool   `json:"exclusive"`
}

func (p *call) writeFile(ctx context.Context, a *writeFileArgs) (any, error) {
	data, err := decode(a.Data, a.Encoding)
	if err != nil {
		return nil, err
	}
	flags := os.O_WRONLY | os.O_CREATE
	if a.Append {
		flags |= os.O_APPEND
	} else {
		flags |= os.O_TRUNC
	}
	if a.Exclusive {
		flags |= os.O_EXCL
	}
	return nil, p.use("write", "open", a.Path, followed, func(pl *place) error {
		file, err := pl.openFile(flags)
		if err != nil {
			return err
		}
		stop := p.hurry(ctx, file)
		_, err = file.Write(data)
		stop()
		if closeErr := file.Close(); err == nil {
			err = closeErr
		}
		if err != nil {
			return p.interrupted(ctx, err, "write", a.Path)
		}
		return nil
	})
}

type mkdirArgs struct {
	Path      string `json:"path"`
	Recursive bool   `json:"recursive"`
}

func (p *call) mkdir(_ context.Context, a *mkdirArgs) (any, error) {
	if !a.Recursive {
		return nil, p.use("write", "mkdir", a.Path, followed, func(pl *place) error { return pl.dir.Mkdir(pl.name, 0o777) })
	}
	return nil, p.use("write", "mkdir", a.Path, makeDirs, func(pl *place) error {
		err := pl.dir.Mkdir(pl.name, 0o777)
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
		if info, err := pl.dir.Lstat(pl.name); err != nil || !info.IsDir() {
			return errors.Join(errNotDirectory, err)
		}
		return nil
	})
}

type rmArgs struct {
	Path      string `json:"path"`
	Recursive bool   `json:"recursive"`
	Force     bool   `json:"force"`
}

// rm removes a file, a symlink (not its target), or with recursive a directory and what is in it.
func (p *call) rm(_ context.Context, a *rmArgs) (any, error) {
	err := p.use("write", "rm", a.Path, itself, func(pl *place) error {
		switch {
		case pl.info == nil:
			return pl.none
		case !pl.info.IsDir():
			return pl.dir.Remove(pl.name)
		case !a.Recursive:
			return &Error{Name: "Error", Code: "EISDIR", Message: "EISDIR: is a directory, rm '" + a.Path + "': pass { recursive: true }"}
		}
		if err := p.policy.holdsPrivate(pl.info); err != nil {
			return err
		}
		return pl.dir.RemoveAll(pl.name)
	})
	if a.Force && isAbsent(err) {
		return nil, nil
	}
	return nil, err
}

func isAbsent(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == "ENOENT"
}

// entry is a file as stat and readdir describe it.
type entry struct {
	Name    string  `json:"name,omitzero"`
	Type    string  `json:"type"` // "file", "directory", "symlink", "other"
	Size    int64   `json:"size"`
	MtimeMs float64 `json:"mtimeMs"`
}

func (p *call) stat(_ context.Context, a *pathArgs) (any, error) {
	var found *entry
	err := p.use("read", "stat", a.Path, followed, func(pl *place) error {
		if pl.info == nil {
			return pl.none
		}
		found = &entry{Type: fileType(pl.info.Mode()), Size: pl.info.Size(), MtimeMs: float64(pl.info.ModTime().UnixNano()) / 1e6}
		return nil
	})
	return found, err
}

// readdir lists a directory, sorted by name.
func (p *call) readdir(_ context.Context, a *pathArgs) (any, error) {
	var found []fs.DirEntry
	err := p.use("read", "scandir", a.Path, followed, func(pl *place) error {
		dir, err := pl.openFile(os.O_RDONLY)
		if err != nil {
			return err
		}
		defer dir.Close()
		found, err = dir.ReadDir(-1)
		return err
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(found, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	type listed struct {
		Name string `json:"name"`
		Type string `json:"type"`
	}
	list := make([]listed, len(found))
	for i, e := range found {
		list[i] = listed{clean(e.Name()), fileType(e.Type())}
	}
	return list, nil
}

type renameArgs struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// rename needs permission to read what it moves: else it could move a file to where it may be read.
func (p *call) rename(_ context.Context, a *renameArgs) (any, error) {
	if _, err := p.policy.path("read", "rename", a.From, false); err != nil {
		return nil, err
	}
	return nil, p.use("write", "rename", a.From, itself, func(from *place) error {
		return p.use("write", "rename", a.To, itself, func(to *place) error {
			err := from.none
			if from.info != nil {
				err = p.policy.holdsPrivate(from.info)
			}
			if err == nil {
				err = rename(from, to)
			}
			if errors.Is(err, errState) {
				return p.policy.forbidden("write", a.From)
			}
			if err != nil {
				return ownError(err, "rename", a.From, a.To)
			}
			return nil
		})
	})
}

func fileType(mode fs.FileMode) string {
	switch {
	case mode.IsRegular():
		return "file"
	case mode.IsDir():
		return "directory"
	case mode&fs.ModeSymlink != 0:
		return "symlink"
	}
	return "other"
}

// encode writes bytes as a string of a result.
func encode(data []byte, encoding string) (string, error) {
	switch encoding {
	case "", "utf8":
		if utf8.Valid(data) {
			return string(data), nil
		}
		return clean(string(data)), nil
	case "base64":
		return base64.StdEncoding.EncodeToString(data), nil
	}
	return "", typeError("unknown encoding %q", encoding)
}

// decode reads a string of the arguments as bytes.
func decode(data, encoding string) ([]byte, error) {
	switch encoding {
	case "", "utf8":
		return []byte(data), nil
	case "base64":
		decoded, err := base64.StdEncoding.DecodeString(data)
		if err != nil {
			return nil, typeError("invalid base64: %v", err)
		}
		return decoded, nil
	}
	return nil, typeError("unknown encoding %q", encoding)
}
