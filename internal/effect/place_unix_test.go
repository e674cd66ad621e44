//go:build unix

package effect

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// Reading a named pipe waits for nobody who does not come, and for nobody at all once it is cancelled.
func TestNamedPipes(t *testing.T) {
	p := newPerformer(t, &PerformerOptions{})
	path := filepath.Join(p.Dir, "pipe")
	require.NoError(t, syscall.Mkfifo(path, 0o666))
	text, refused := do(t, p, "fs.readFile", object{"path": "pipe"})
	require.Nil(t, refused)
	require.Equal(t, "", text)
	_, refused = do(t, p, "fs.writeFile", object{"path": "pipe", "data": "x"})
	require.NotNil(t, refused, "nobody reads")

	writer, err := os.OpenFile(path, os.O_RDWR, 0)
	require.NoError(t, err)
	defer writer.Close()
	ctx, cancel := context.WithCancel(context.Background())
	asked := make(chan struct{})
	p.audit = func(*Use) { close(asked) }
	go func() { <-asked; cancel() }()
	_, refused = doContext(ctx, t, p, "fs.readFile", object{"path": "pipe"})
	require.Equal(t, "ABORT_ERR", refused.Code)
}

// One may go through a directory that one may not list.
func TestDirectoriesThatCannotBeListed(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root lists everything")
	}
	p := newPerformer(t, &PerformerOptions{})
	dir := filepath.Join(p.Dir, "closed")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "closed/open"), 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "closed/open/file"), []byte("x"), 0o666))
	for _, d := range []string{filepath.Join(dir, "closed"), dir} {
		require.NoError(t, os.Chmod(d, 0o111))
		defer func() { require.NoError(t, os.Chmod(d, 0o777)) }()
	}
	text, refused := do(t, p, "fs.readFile", object{"path": "closed/closed/open/file"})
	require.Nil(t, refused)
	require.Equal(t, "x", text)
	must(t, p, "fs.writeFile", object{"path": "closed/closed/open/new", "data": "y"})
}
