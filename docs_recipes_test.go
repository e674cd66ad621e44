package sexton_test

import (
	"bytes"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton/internal/cli"
)

var update = flag.Bool("update", false, "write what the commands in guide.md and cookbook.md print, where it differs")

// TestRecipes does what a reader of guide.md and cookbook.md does: it writes the files and runs the commands, which
// have to print what the document says. The guide is followed from its beginning to its end; each section of the cookbook
// begins with an empty directory.
//
//   - A block of code with a file name behind its language (```ts site.ts) is a file.
//   - A block ```console has commands, behind "$ ", and what they print. "…" stands for any text, alone on a line for any
//     lines. "# exits 6" behind a command is its exit code. Commands are sexton, cd, cat, ls and export.
func TestRecipes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("recipes run programs that Windows does not have, such as sleep")
	}
	for _, name := range []string{"docs/guide.md", "docs/cookbook.md"} {
		sections := []string{document(t, name)}
		if name == "docs/cookbook.md" {
			sections = regexp.MustCompile(`(?m)^## `).Split(sections[0], -1)[1:]
			require.GreaterOrEqual(t, len(sections), 10)
		}
		updated := document(t, name)
		for _, section := range sections {
			title, _, _ := strings.Cut(strings.TrimPrefix(section, "# "), "\n")
			t.Run(title, func(t *testing.T) {
				r := &reader{t: t, dir: t.TempDir(), env: map[string]string{"NO_COLOR": "1", "SEXTON_ISOLATION": "none", "SEXTON_CACHE": "off"}}
				commands := 0
				for _, block := range markdownBlock.FindAllStringSubmatch(section, -1) {
					language, file, text := block[1], block[2], block[3]
					switch {
					case language == "console":
						shown := r.console(text)
						updated = strings.Replace(updated, "```console\n"+text+"```", "```console\n"+shown+"```", 1)
						commands++
					case file != "":
						path := filepath.Join(r.dir, filepath.FromSlash(file))
						require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
						require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
					}
				}
				require.Positive(t, commands, "a recipe that nobody follows")
			})
		}
		if *update {
			require.NoError(t, os.WriteFile(filepath.FromSlash(name), []byte(updated), 0o644))
		}
	}
}

var markdownBlock = regexp.MustCompile("(?ms)^```(\\w+)(?: (\\S+))?\n(.*?)^```$")

// reader follows a document.
type reader struct {
	t   *testing.T
	dir string
	env map[string]string
}

// console runs the commands of a block, and returns it with what they print.
func (r *reader) console(text string) string {
	var shown strings.Builder
	commands := strings.Split("\n"+text, "\n$ ")
	for _, c := range commands[1:] {
		line, want, _ := strings.Cut(c, "\n")
		want = strings.TrimSuffix(want, "\n")
		command, comment, _ := strings.Cut(line, "  # ")
		exit := 0
		if code, ok := strings.CutPrefix(comment, "exits "); ok {
			var err error
			exit, err = strconv.Atoi(code)
			require.NoError(r.t, err, line)
		}
		got := strings.TrimSuffix(r.run(strings.Fields(command), exit), "\n")
		if !printed(want).MatchString(got) {
			require.True(r.t, *update, "%s\nprints\n%s\nthe document says\n%s", line, got, want)
			want = got
		}
		fmt.Fprintf(&shown, "$ %s\n", line)
		if want != "" {
			shown.WriteString(want + "\n")
		}
	}
	return shown.String()
}

// printed makes a pattern of what a document shows.
func printed(want string) *regexp.Regexp {
	lines := strings.Split(want, "\n")
	for i, line := range lines {
		if lines[i] = strings.ReplaceAll(regexp.QuoteMeta(line), "…", "[^\n]*"); line == "…" {
			lines[i] = `(?s:.*)`
		}
	}
	return regexp.MustCompile("^" + strings.Join(lines, "\n") + "$")
}

// run runs a command and returns what it prints.
func (r *reader) run(args []string, exit int) string {
	path := func(name string) string { return filepath.Join(r.dir, filepath.FromSlash(name)) }
	switch args[0] {
	case "cd":
		r.dir = path(args[1])
		return ""
	case "export":
		name, value, _ := strings.Cut(args[1], "=")
		if name == "CLOUD" {
			value = cloud(r.t)
		}
		r.t.Setenv(name, value)
		r.env[name] = value
		return ""
	case "cat":
		data, err := os.ReadFile(path(args[1]))
		require.NoError(r.t, err)
		return string(data)
	case "ls":
		entries, err := os.ReadDir(path(args[1]))
		require.NoError(r.t, err)
		var names []string
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return strings.Join(names, "\n")
	}
	require.Equal(r.t, "sexton", args[0])
	var out output
	code := cli.Main(&cli.State{
		Args: args[1:], Dir: r.dir, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out, Width: 80, Now: time.Now,
		LookupEnv: func(name string) (string, bool) { value, ok := r.env[name]; return value, ok },
		Signals:   make(chan os.Signal), Release: func() {},
		Tick: func(time.Duration) (<-chan time.Time, func()) { return nil, func() {} },
	})
	require.Equal(r.t, exit, code, "%v\n%s", args, out.b.String())
	return out.b.String()
}

// output is what a command prints, from any goroutine.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

// cloud serves what the cookbook calls a provider: machines that are made, looked at and removed, where a request that
// repeats a key does nothing. A machine is ready when it was asked for three times.
func cloud(t *testing.T) (url string) {
	var mu sync.Mutex
	made, asked := []string{}, map[string]int{} // keys; machines by id
	id := func(r *http.Request) string { return strings.TrimPrefix(r.URL.Path, "/machines/") }
	mux := http.NewServeMux()
	mux.HandleFunc("POST /machines", func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		key := r.Header.Get("Idempotency-Key")
		if !slices.Contains(made, key) {
			made = append(made, key)
		}
		name := fmt.Sprintf("m-%d", slices.Index(made, key)+1)
		asked[name] = 0
		fmt.Fprintf(w, `{"id": %q}`, name)
	})
	mux.HandleFunc("GET /machines/", func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		n, ok := asked[id(r)]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		asked[id(r)] = n + 1
		fmt.Fprintf(w, `{"ready": %v}`, n >= 2)
	})
	mux.HandleFunc("DELETE /machines/", func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if _, ok := asked[id(r)]; !ok {
			w.WriteHeader(http.StatusNotFound)
		}
		delete(asked, id(r))
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}
