package effect

import (
	"context"
	"encoding/base64"
	"io"
	"io/fs"
	"os"
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

func (p *Performer) readFile(_ context.Context, a *readFileArgs) (any, error) {
	path, err := p.policy.path("read", "open", a.Path, true)
	if err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fileError(err, "open", a.Path)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err != nil {
		return nil, fileError(err, "read", a.Path)
	}
	if len(data) > maxFile {
		return nil, &Error{Name: "RangeError", Code: "ERR_FS_FILE_TOO_LARGE", Message: "file '" + a.Path + "' is larger than 256 MiB"}
	}
	return encode(data, a.Encoding)
}

type writeFileArgs struct {
	Path      string `json:"path"`
	Data      string `json:"data"`
	Encoding  string `json:"encoding"`
	Append    bool   `json:"append"`
	Exclusive bool   `json:"exclusive"`
}

func (p *Performer) writeFile(_ context.Context, a *writeFileArgs) (any, error) {
	data, err := decode(a.Data, a.Encoding)
	if err != nil {
		return nil, err
	}
	path, err := p.policy.path("write", "open", a.Path, true)
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
	file, err := os.OpenFile(path, flags, 0o666)
	if err != nil {
		return nil, fileError(err, "open", a.Path)
	}
	_, err = file.Write(data)
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return nil, fileError(err, "write", a.Path)
	}
	return nil, nil
}

type mkdirArgs struct {
	Path      string `json:"path"`
	Recursive bool   `json:"recursive"`
}

func (p *Performer) mkdir(_ context.Context, a *mkdirArgs) (any, error) {
	path, err := p.policy.path("write", "mkdir", a.Path, true)
	if err != nil {
		return nil, err
	}
	if a.Recursive {
		err = os.MkdirAll(path, 0o777)
	} else {
		err = os.Mkdir(path, 0o777)
	}
	if err != nil {
		return nil, fileError(err, "mkdir", a.Path)
	}
	return nil, nil
}

type rmArgs struct {
	Path      string `json:"path"`
	Recursive bool   `json:"recursive"`
	Force     bool   `json:"force"`
}

// rm removes a file, a symlink (not its target), or with recursive a directory and what is in it.
func (p *Performer) rm(_ context.Context, a *rmArgs) (any, error) {
	path, err := p.policy.path("write", "rm", a.Path, false)
	if err != nil {
		return nil, err
	}
	info, err := os.Lstat(path)
	switch {
	case err != nil && a.Force && isAbsent(err):
		return nil, nil
	case err != nil:
		return nil, fileError(err, "rm", a.Path)
	case !info.IsDir():
		err = os.Remove(path)
	case a.Recursive:
		err = os.RemoveAll(path)
	default:
		return nil, &Error{Name: "Error", Code: "EISDIR", Message: "EISDIR: is a directory, rm '" + a.Path + "': pass { recursive: true }"}
	}
	if err != nil && !(a.Force && isAbsent(err)) {
		return nil, fileError(err, "rm", a.Path)
	}
	return nil, nil
}

func isAbsent(err error) bool { return fileError(err, "").Code == "ENOENT" }

// entry is a file as stat and readdir describe it.
type entry struct {
	Name    string  `json:"name,omitzero"`
	Type    string  `json:"type"` // "file", "directory", "symlink", "other"
	Size    int64   `json:"size"`
	MtimeMs float64 `json:"mtimeMs"`
}

func (p *Performer) stat(_ context.Context, a *pathArgs) (any, error) {
	path, err := p.policy.path("read", "stat", a.Path, true)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fileError(err, "stat", a.Path)
	}
	return &entry{Type: fileType(info.Mode()), Size: info.Size(), MtimeMs: float64(info.ModTime().UnixNano()) / 1e6}, nil
}

// readdir lists a directory, sorted by name.
func (p *Performer) readdir(_ context.Context, a *pathArgs) (any, error) {
	path, err := p.policy.path("read", "scandir", a.Path, true)
	if err != nil {
		return nil, err
	}
	found, err := os.ReadDir(path)
	if err != nil {
		return nil, fileError(err, "scandir", a.Path)
	}
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
func (p *Performer) rename(_ context.Context, a *renameArgs) (any, error) {
	from, err := p.policy.path("write", "rename", a.From, false)
	if err != nil {
		return nil, err
	}
	if _, err := p.policy.path("read", "rename", a.From, false); err != nil {
		return nil, err
	}
	to, err := p.policy.path("write", "rename", a.To, false)
	if err != nil {
		return nil, err
	}
	if err := os.Rename(from, to); err != nil {
		return nil, fileError(err, "rename", a.From, a.To)
	}
	return nil, nil
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
