package effect

import (
	"context"
	"encoding/base64"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFetch(t *testing.T) {
	arrived := make(chan struct{}, 1)
	mux := http.NewServeMux()
	mux.HandleFunc("/echo", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Add("X-Two", "1")
		w.Header().Add("X-Two", "2")
		w.WriteHeader(http.StatusTeapot)
		_, _ = io.WriteString(w, r.Method+" "+r.Header.Get("X-In")+" "+string(body))
	})
	mux.HandleFunc("/there", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/echo", http.StatusFound) })
	mux.HandleFunc("/away", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://forbidden.test/", http.StatusFound)
	})
	mux.HandleFunc("/round", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/round", http.StatusFound) })
	mux.HandleFunc("/large", func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, strings.Repeat("x", 1001)) })
	mux.HandleFunc("/never", func(w http.ResponseWriter, r *http.Request) { arrived <- struct{}{}; <-r.Context().Done() })
	server := httptest.NewServer(mux)
	defer server.Close()
	u, err := url.Parse(server.URL)
	require.NoError(t, err)
	p := newPerformer(t, &PerformerOptions{MaxOutput: 1000, Permissions: &Permissions{Net: []string{u.Host}}})

	get := must(t, p, "net.get", object{"url": server.URL + "/there", "headers": [][2]string{{"x-in", "in"}}})
	require.Equal(t, server.URL+"/echo", get["url"])
	require.Equal(t, true, get["redirected"])
	require.Equal(t, 418.0, get["status"])
	require.Equal(t, "I'm a teapot", get["statusText"])
	require.Equal(t, "GET in ", fromBase64(t, get["body"]))
	require.Contains(t, get["headers"], []any{"x-two", "1"})
	require.Contains(t, get["headers"], []any{"x-two", "2"})

	post := must(t, p, "net.fetch", object{"url": server.URL + "/echo", "method": "POST", "body": "aMOp", "bodyEncoding": "base64"})
	require.Equal(t, "POST  hé", fromBase64(t, post["body"]))
	require.Equal(t, 302.0, must(t, p, "net.get", object{"url": server.URL + "/away", "redirect": "manual"})["status"])

	for _, c := range []struct {
		op   string
		args object
		want string
	}{
		{"net.get", object{"url": server.URL + "/away"}, "connect to forbidden.test:80 is not permitted: run with --allow-net=forbidden.test:80"},
		{"net.get", object{"url": "https://user:pw@forbidden.test/"}, "--allow-net=forbidden.test:443"},
		{"net.get", object{"url": server.URL + "/round"}, "it redirects too often"},
		{"net.get", object{"url": server.URL + "/there", "redirect": "error"}, "it redirects"},
		{"net.get", object{"url": server.URL + "/there", "redirect": "no"}, "redirect is follow, error or manual"},
		{"net.get", object{"url": server.URL + "/large"}, "/large: the answer is larger than 1000 bytes"},
		{"net.get", object{"url": server.URL, "method": "POST"}, "it is net.fetch"},
		{"net.get", object{"url": "file:///etc/passwd"}, "no http or https URL"},
		{"net.get", object{"url": server.URL, "headers": [][2]string{{"host", "x"}}}, "the header Host follows from the URL"},
	} {
		_, err := do(t, p, c.op, c.args)
		require.NotNil(t, err, c.want)
		require.Contains(t, err.Message, c.want)
	}

	ctx, cancel := context.WithCancel(context.Background())
	go func() { <-arrived; cancel() }()
	_, refused := doContext(ctx, t, p, "net.get", object{"url": server.URL + "/never"})
	require.Equal(t, "ABORT_ERR", refused.Code)

	server.CloseClientConnections()
	server.Close()
	_, refused = do(t, p, "net.get", object{"url": server.URL})
	require.Equal(t, "ERR_FETCH_FAILED", refused.Code)
	require.Contains(t, string(refused.Detail), `"code":"ECONNREFUSED"`)
}

func fromBase64(t *testing.T, v any) string {
	data, err := base64.StdEncoding.DecodeString(v.(string))
	require.NoError(t, err)
	return string(data)
}

// TLS is checked as the operator's system has it.
func TestFetchTLS(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "private") }))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	u, err := url.Parse(server.URL)
	require.NoError(t, err)
	p := newPerformer(t, &PerformerOptions{Permissions: &Permissions{Net: []string{u.Host, "localhost:" + u.Port()}}})
	_, refused := do(t, p, "net.get", object{"url": server.URL})
	require.Contains(t, string(refused.Detail), `"code":"UNABLE_TO_VERIFY_LEAF_SIGNATURE"`)

	p.transport.TLSClientConfig = server.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
	got := must(t, p, "net.get", object{"url": server.URL})
	require.Equal(t, "private", fromBase64(t, got["body"]))
	_, refused = do(t, p, "net.get", object{"url": "https://localhost:" + u.Port()})
	require.Contains(t, string(refused.Detail), `"code":"ERR_TLS_CERT_ALTNAME_INVALID"`)
}
