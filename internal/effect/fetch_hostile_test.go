package effect

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// names answers look-ups: each name has its answers, one after another, the last one for ever.
func names(answers map[string][]string) *net.Resolver {
	asked := make(chan map[string]int, 1)
	asked <- map[string]int{}
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go func() {
			defer ours.Close()
			for {
				var length [2]byte
				if _, err := io.ReadFull(ours, length[:]); err != nil {
					return
				}
				query := make([]byte, binary.BigEndian.Uint16(length[:]))
				if _, err := io.ReadFull(ours, query); err != nil {
					return
				}
				name, question, kind := readQuestion(query)
				var addr netip.Addr
				counts := <-asked
				if list := answers[name]; len(list) > 0 {
					addr = netip.MustParseAddr(list[min(counts[name], len(list)-1)])
				}
				if kind == 1 && addr.Is4() || kind == 28 && addr.Is6() {
					counts[name]++
				} else {
					addr = netip.Addr{}
				}
				asked <- counts
				answer := answerTo(query[:2], question, kind, addr)
				if _, err := ours.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...)); err != nil {
					return
				}
			}
		}()
		return theirs, nil
	}}
}

func readQuestion(query []byte) (name string, question []byte, kind uint16) {
	i := 12
	var labels []string
	for n := int(query[i]); n > 0; n = int(query[i]) {
		labels = append(labels, string(query[i+1:i+1+n]))
		i += 1 + n
	}
	return strings.Join(labels, "."), query[12 : i+5], binary.BigEndian.Uint16(query[i+1:])
}

func answerTo(id, question []byte, kind uint16, addr netip.Addr) []byte {
	found := byte(0)
	if addr.IsValid() {
		found = 1
	}
	m := append([]byte{}, id...)
	m = append(m, 0x81, 0x80, 0, 1, 0, found, 0, 0, 0, 0)
	m = append(m, question...)
	if addr.IsValid() {
		m = append(m, 0xc0, 12, 0, byte(kind), 0, 1, 0, 0, 0, 0, 0, byte(len(addr.AsSlice())))
		m = append(m, addr.AsSlice()...)
	}
	return m
}

// A name that is granted does not lead to this machine, whatever its look-up says, and says at the second time.
func TestNamesThatLeadHere(t *testing.T) {
	reached := 0
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached++ }))
	defer server.Close()
	port := server.URL[strings.LastIndexByte(server.URL, ':'):]
	var uses []Use
	p := newPerformer(t, &PerformerOptions{
		Permissions: &Permissions{Net: []string{"a.test", "*.b.test", "localhost"}}, Audit: func(u *Use) { uses = append(uses, *u) },
	})
	p.resolver = names(map[string][]string{
		"a.test": {"127.0.0.1"}, "mapped.b.test": {"::ffff:127.0.0.1"}, "any.b.test": {"0.0.0.0"}, "meta.b.test": {"169.254.169.254"},
		"localhost": {"127.0.0.1"},
	})
	p.proxy = func(*http.Request) (*url.URL, error) { return nil, nil }
	for host, want := range map[string]string{
		"a.test": "127.0.0.1" + port, "mapped.b.test": "127.0.0.1" + port, "any.b.test": "0.0.0.0" + port,
		"meta.b.test": "169.254.169.254" + port,
	} {
		uses = nil
		_, err := do(t, p, "net.get", object{"url": "http://" + host + port})
		require.NotNil(t, err, host)
		require.Equal(t, "PermissionDenied", err.Name, err.Message)
		require.Contains(t, err.Message, "run with --allow-net="+want, host)
		require.Equal(t, Use{Op: "net.get", Kind: "net", Asked: want, Needed: want}, uses[len(uses)-1])
	}
	require.Zero(t, reached)
	must(t, p, "net.get", object{"url": "http://localhost" + port})
	require.Equal(t, 1, reached)

	// The address is granted too. Another one, which the name leads to later, is not.
	q := newPerformer(t, &PerformerOptions{Permissions: &Permissions{Net: []string{"a.test", "127.0.0.1" + port}}})
	q.resolver = names(map[string][]string{"a.test": {"127.0.0.1", "127.0.0.2"}})
	q.proxy = p.proxy
	must(t, q, "net.get", object{"url": "http://a.test" + port, "headers": [][2]string{{"Connection", "close"}}})
	require.Equal(t, 2, reached)
	q.transport.CloseIdleConnections()
	_, err := do(t, q, "net.get", object{"url": "http://a.test" + port})
	require.NotNil(t, err)
	require.Contains(t, err.Message, "at its loopback address 127.0.0.2 is not permitted")
}

// Each hop of a redirect is checked as if scripts had asked for it.
func TestRedirects(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it was reached") }))
	defer other.Close()
	otherPort := other.URL[strings.LastIndexByte(other.URL, ':')+1:]
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", r.URL.Query().Get("to"))
		w.WriteHeader(http.StatusTemporaryRedirect)
	}))
	defer server.Close()
	u, err := url.Parse(server.URL)
	require.NoError(t, err)
	p := newPerformer(t, &PerformerOptions{Permissions: &Permissions{Net: []string{u.Host}}})
	for to, want := range map[string]string{
		"file:///etc/passwd":                       "no http or https URL",
		"ftp://" + u.Host + "/":                    "no http or https URL",
		"http://127.0.0.1:" + otherPort + "/":      "run with --allow-net=127.0.0.1:" + otherPort,
		"//127.0.0.1:" + otherPort + "/":           "run with --allow-net=127.0.0.1:" + otherPort,
		"http://" + u.Host + "@evil.test/":         "run with --allow-net=evil.test:80",
		"http://localhost:" + u.Port() + "/":       "run with --allow-net=localhost:" + u.Port(),
		"http://2130706433:" + u.Port() + "/":      "no address as a.b.c.d",
		"http://[::1]:" + u.Port() + "/":           "run with --allow-net=[::1]:" + u.Port(),
		"http://127.0.0.1.:" + u.Port() + "/":      "no address as a.b.c.d",
		"http://evil.test\\@" + u.Host + "/":       "failed to parse Location",
		"https://127.0.0.1/":                       "run with --allow-net=127.0.0.1:443",
		"http://127.0.0.1:0/":                      `"0" is no port`,
		server.URL + "/?to=file:///etc/passwd":     "no http or https URL",
		server.URL + "/?to=http://169.254.169.254": "run with --allow-net=169.254.169.254:80",
	} {
		_, err := do(t, p, "net.get", object{"url": server.URL + "/?to=" + url.QueryEscape(to)})
		require.NotNil(t, err, to)
		require.Contains(t, err.Message, want, to)
	}
}

// Who is redirected to does not learn which URL redirected there. Credentials go as far as the origin goes, which has a port.
func TestRedirectsWithholdSecrets(t *testing.T) {
	names := []string{"Authorization", "Cookie", "Referer", "X-Mine"}
	var got []string
	record := func(w http.ResponseWriter, r *http.Request) {
		var there []string
		for _, name := range names {
			if r.Header.Get(name) != "" {
				there = append(there, name)
			}
		}
		got = append(got, strings.Join(there, " "))
		if to := r.URL.Query().Get("to"); to != "" {
			http.Redirect(w, r, to, http.StatusFound)
		}
	}
	one, two := httptest.NewServer(http.HandlerFunc(record)), httptest.NewServer(http.HandlerFunc(record))
	defer one.Close()
	defer two.Close()
	p := newPerformer(t, &PerformerOptions{Permissions: &Permissions{Net: []string{"127.0.0.1"}}})
	get := func(url string, headers ...[]string) []string {
		got = nil
		_, err := do(t, p, "net.get", object{"url": url, "headers": append(headers, []string{"authorization", "a"}, []string{"cookie", "c"}, []string{"x-mine", "x"})})
		require.Nil(t, err)
		return got
	}
	require.Equal(t, []string{"Authorization Cookie X-Mine", "Authorization Cookie X-Mine"}, get(one.URL+"/?to=/again"))
	require.Equal(t, []string{"Authorization Cookie X-Mine", "X-Mine"}, get(one.URL+"/?to="+two.URL))
	require.Equal(t, []string{"Authorization Cookie X-Mine", "X-Mine", "X-Mine"},
		get(one.URL+"/?to="+url.QueryEscape(two.URL+"/?to="+one.URL)), "what was taken away does not come back")
	require.Equal(t, []string{"Authorization Cookie Referer X-Mine", "Referer X-Mine"}, get(one.URL+"/?to="+two.URL, []string{"referer", "http://mine.test"}))
}

// A proxy that the environment names is a host like others.
func TestProxy(t *testing.T) {
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.URL.String()) }))
	defer proxy.Close()
	at, err := url.Parse(proxy.URL)
	require.NoError(t, err)
	get := func(net ...string) (object, *Error) {
		p := newPerformer(t, &PerformerOptions{Permissions: &Permissions{Net: net}})
		p.proxy = http.ProxyURL(at)
		result, err := do(t, p, "net.get", object{"url": "http://a.test/x"})
		o, _ := result.(object)
		return o, err
	}
	_, refused := get("a.test")
	require.Equal(t, "connect to "+at.Host+" is not permitted: run with --allow-net="+at.Host, refused.Message)
	_, refused = get(at.Host)
	require.Equal(t, "connect to a.test:80 is not permitted: run with --allow-net=a.test:80", refused.Message)
	result, refused := get("a.test", at.Host)
	require.Nil(t, refused)
	require.Equal(t, "http://a.test/x", fromBase64(t, result["body"]))
}
