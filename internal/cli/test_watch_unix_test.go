//go:build unix

package cli

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWatch changes files as an author does, and waits for what sexton says.
func TestWatch(t *testing.T) {
	p := &process{t: t, dir: t.TempDir()}
	put := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o644))
	}
	put("package.json", `{"name": "app"}`)
	put("answer.ts", `export const answer = 42;`)
	put("a.test.ts", `import { assert, test } from "sexton/test"; import { answer } from "./answer"; test("answer", () => assert.equal(answer, 42));`)
	put("b.test.ts", `import { test } from "sexton/test"; test("other", () => {});`)

	p.cmd = exec.Command("sexton", "test", "--watch", "--jobs=1", "--reporter=tap")
	p.cmd.Dir = p.dir
	out, err := p.cmd.StderrPipe()
	require.NoError(t, err)
	p.cmd.Stdout = p.cmd.Stderr
	p.err = bufio.NewReader(out)
	require.NoError(t, p.cmd.Start())
	t.Cleanup(func() { _ = p.cmd.Process.Kill() })

	p.told("ok 2 - other")
	p.told("watching files")

	put("answer.ts.new", `export const answer = 41;`)
	require.NoError(t, os.Rename(filepath.Join(p.dir, "answer.ts.new"), filepath.Join(p.dir, "answer.ts")))
	p.told("not ok 1 - answer")
	p.told("1..1") // the other file is not affected
	p.told("watching files")

	put("answer.ts", `export const answer = 42`+"\n)") // does not compile
	p.told("not ok 1 - a.test.ts")
	p.told("watching files")
	put("answer.ts", `export const answer = 42;`)
	p.told("ok 1 - answer")
	p.told("watching files")

	put("c.test.ts", `import { test } from "sexton/test"; test("new", () => { throw 1; });`)
	p.told("not ok 1 - new")
	p.told("watching files")
	p.signal(syscall.SIGINT, false)
	require.Equal(t, exitTests, p.exit())
}
