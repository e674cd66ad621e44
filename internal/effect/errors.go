package effect

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"strconv"
	"strings"
	"syscall"

	"github.com/go-json-experiment/json"
)

// errClosed is the answer to whatever is asked of a closed Performer.
var errClosed = &Error{Name: "Error", Code: "ERR_CLOSED", Message: "the deployment has ended: no further effects"}

// typeError is an error in what the script passed.
func typeError(format string, args ...any) *Error {
	return &Error{Name: "TypeError", Code: "ERR_INVALID_ARG_VALUE", Message: fmt.Sprintf(format, args...)}
}

// limitError is the error of an operation that would exceed a limit.
func limitError(name string, most int, what string) *Error {
	l := &Limit{Name: name, Value: strconv.Itoa(most), What: what}
	return &Error{Name: "RangeError", Code: "ERR_LIMIT", Message: fmt.Sprintf("limit exceeded: %s (%s): %s", l.Name, l.Value, l.What), Limit: l}
}

// errorCodes are the codes that scripts know from Node, with its words for them. The first match
// counts: ENOTEMPTY is also an fs.ErrExist.
var errorCodes = []struct {
	match      error
	code, text string
}{
	{syscall.ENOTEMPTY, "ENOTEMPTY", "directory not empty"},
	{errDirNotEmpty, "ENOTEMPTY", "directory not empty"},
	{syscall.ENOTDIR, "ENOTDIR", "not a directory"},
	{errNotDirectory, "ENOTDIR", "not a directory"},
	{syscall.EISDIR, "EISDIR", "illegal operation on a directory"},
	{syscall.EPERM, "EPERM", "operation not permitted"},
	{syscall.ELOOP, "ELOOP", "too many symbolic links encountered"},
	{syscall.ENAMETOOLONG, "ENAMETOOLONG", "name too long"},
	{syscall.ENOSPC, "ENOSPC", "no space left on device"},
	{syscall.EROFS, "EROFS", "read-only file system"},
	{syscall.EXDEV, "EXDEV", "cross-device link not permitted"},
	{syscall.EBUSY, "EBUSY", "resource busy or locked"},
	{syscall.EMFILE, "EMFILE", "too many open files"},
	{syscall.EINVAL, "EINVAL", "invalid argument"},
	{syscall.ETXTBSY, "ETXTBSY", "text file is busy"},
	{syscall.E2BIG, "E2BIG", "argument list too long"},
	{syscall.ENOEXEC, "ENOEXEC", "exec format error"},
	{syscall.EIO, "EIO", "i/o error"},
	{fs.ErrNotExist, "ENOENT", "no such file or directory"},
	{fs.ErrExist, "EEXIST", "file already exists"},
	{fs.ErrPermission, "EACCES", "permission denied"},
	{exec.ErrNotFound, "ENOENT", "no such file or directory"},
}

// fileError turns an error of the system into one as Node has it: "ENOENT: no such file or
// directory, open 'x'". Paths are the ones that the script wrote.
func fileError(err error, verb string, paths ...string) *Error {
	for i, p := range paths {
		paths[i] = "'" + clean(p) + "'"
	}
	what := strings.TrimSpace(verb + " " + strings.Join(paths, " -> "))
	for _, c := range errorCodes {
		if errors.Is(err, c.match) {
			return &Error{Name: "Error", Code: c.code, Message: fmt.Sprintf("%s: %s, %s", c.code, c.text, what)}
		}
	}
	return &Error{Name: "Error", Code: "UNKNOWN", Message: fmt.Sprintf("%s: %s", what, clean(rootCause(err).Error()))}
}

// spawnError is why a program could not be started.
func spawnError(err error, command string) *Error {
	e := fileError(err, "spawn", command)
	if e.Code == "ENOENT" {
		e.Message = fmt.Sprintf("ENOENT: spawn '%s': no such program", clean(command))
		if !hasSeparator(command) {
			e.Message += " in PATH"
		}
	}
	return e
}

// rootCause strips what names paths of this machine that the script did not write.
func rootCause(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}

// CodeAborted is the code of what was ended before its time because its context or the Performer was. How far
// it came is not known.
const CodeAborted = "ABORT_ERR"

// cancelled is the error of an operation that the caller's context ended.
func cancelled(ctx context.Context, what string) *Error {
	return &Error{Name: "AbortError", Code: CodeAborted, Message: fmt.Sprintf("%s: %v", what, context.Cause(ctx))}
}

// asError turns whatever an operation returned into data.
func asError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return &Error{Name: "Error", Message: clean(err.Error())}
}

// withDetail adds properties for the script's error object.
func (e *Error) withDetail(detail any) *Error {
	data, err := json.Marshal(detail)
	if err != nil {
		panic(err) // detail is a struct of this package with valid strings
	}
	e.Detail = data
	return e
}

// plainJSONError removes the decoder's name from its messages.
func plainJSONError(err error) error {
	text := strings.TrimPrefix(strings.TrimPrefix(err.Error(), "json: "), "jsontext: ")
	return errors.New(text)
}

// clean makes text valid UTF-8.
func clean(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
