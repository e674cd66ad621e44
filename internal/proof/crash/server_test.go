package crash

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// serveProvider is the process of a provider: it says where it listens, and serves until it is killed or
// its standard input ends, as it does with the process that started it.
func serveProvider() error {
	p, err := newProvider(os.Getenv("CRASH_LEDGERS"))
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", os.Getenv("CRASH_LISTEN"))
	if err != nil {
		return err
	}
	fmt.Println(listener.Addr())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	mux := http.NewServeMux()
	handle := func(path string, serve func(q url.Values, body []byte) (any, error)) {
		mux.HandleFunc(path, func(w http.ResponseWriter, hr *http.Request) {
			body, err := io.ReadAll(hr.Body)
			var answer any
			if err == nil {
				answer, err = serve(hr.URL.Query(), body)
			}
			if err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			_ = json.NewEncoder(w).Encode(answer) // to a client that was killed, perhaps
		})
	}
	handle("/do", func(_ url.Values, body []byte) (any, error) {
		r := &request{}
		if err := json.Unmarshal(body, r); err != nil {
			return nil, err
		}
		return r, p.do(r)
	})
	handle("/record", func(q url.Values, _ []byte) (any, error) {
		since, err := strconv.Atoi(q.Get("since"))
		if err != nil {
			return nil, err
		}
		return p.record(q.Get("account"), since)
	})
	handle("/copy", func(q url.Values, _ []byte) (any, error) { return nil, p.copy(q.Get("from"), q.Get("account")) })
	handle("/drop", func(q url.Values, _ []byte) (any, error) { return nil, p.drop(q.Get("account")) })
	return http.Serve(listener, mux)
}

// client calls a provider.
type client struct {
	address string
	http    http.Client
}

func (c *client) call(path string, body, answer any) error {
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	response, err := c.http.Post("http://"+c.address+path, "application/json", bytes.NewReader(data))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	data, err = io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", response.Status, data)
	}
	return json.Unmarshal(data, answer)
}

func (c *client) record(name string, since int) (*account, error) {
	a := &account{}
	return a, c.call(fmt.Sprintf("/record?account=%s&since=%d", name, since), nil, a)
}

// providerProcess is a provider in a process of its own.
type providerProcess struct {
	client
	dir   string
	cmd   *exec.Cmd
	stdin io.Closer
}

func startProvider(t testing.TB) *providerProcess {
	p := &providerProcess{dir: t.TempDir(), client: client{address: "127.0.0.1:0"}}
	require.NoError(t, p.start())
	t.Cleanup(func() { _ = p.kill() })
	return p
}

// start begins, or goes on at the same address after kill.
func (p *providerProcess) start() error {
	p.cmd = child("provider", "CRASH_LEDGERS="+p.dir, "CRASH_LISTEN="+p.address)
	stdin, err := p.cmd.StdinPipe()
	if err != nil {
		return err
	}
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := p.cmd.Start(); err != nil {
		return err
	}
	p.stdin = stdin
	_, err = fmt.Fscanln(stdout, &p.address)
	return err
}

func (p *providerProcess) kill() error {
	err := p.cmd.Process.Kill()
	_ = p.cmd.Wait() // it was killed
	return err
}
