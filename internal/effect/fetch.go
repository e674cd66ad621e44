package effect

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const maxRedirects = 20 // as the standard of fetch has it

type fetchArgs struct {
	URL          string      `json:"url"`
	Method       string      `json:"method"` // empty: GET
	Headers      [][2]string `json:"headers"`
	Body         *string     `json:"body"`
	BodyEncoding string      `json:"bodyEncoding"`
	Redirect     string      `json:"redirect"` // "follow" (also if empty), "error", "manual"
}

type fetchResult struct {
	URL        string      `json:"url"` // after redirects
	Redirected bool        `json:"redirected"`
	Status     int         `json:"status"`
	StatusText string      `json:"statusText"`
	Headers    [][2]string `json:"headers"`
	Body       string      `json:"body"` // base64
}

// get is fetch for requests that change nothing.
func (p *call) get(ctx context.Context, a *fetchArgs) (any, error) {
	switch a.Method {
	case "", http.MethodGet, http.MethodHead:
		return p.fetch(ctx, a)
	}
	return nil, typeError("method %q changes something: it is net.fetch", a.Method)
}

func (p *call) fetch(ctx context.Context, a *fetchArgs) (any, error) {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	defer context.AfterFunc(p.open, func() { end(errClosed) })()
	request, err := p.newHTTPRequest(context.WithValue(ctx, callKey{}, p), a)
	if err != nil {
		return nil, err
	}
	client := &http.Client{Transport: p.transport, CheckRedirect: func(next *http.Request, via []*http.Request) error {
		switch {
		case a.Redirect == "manual":
			return http.ErrUseLastResponse
		case a.Redirect == "error":
			return errors.New("it redirects")
		case len(via) > maxRedirects:
			return errors.New("it redirects too often")
		}
		withhold(next, via)
		return p.mayConnect(next.URL)
	}}
	response, err := client.Do(request)
	if err != nil {
		return nil, fetchError(ctx, request, err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, int64(p.maxOutput)+1))
	if err != nil {
		return nil, fetchError(ctx, request, err)
	}
	if len(body) > p.maxOutput {
		return nil, fetchError(ctx, request, fmt.Errorf("the answer is larger than %s", size(p.maxOutput)))
	}
	result := &fetchResult{
		URL: response.Request.URL.String(), Redirected: response.Request != request,
		Status: response.StatusCode, StatusText: latin1(strings.TrimPrefix(strings.TrimPrefix(response.Status, strconv.Itoa(response.StatusCode)), " ")),
		Headers: [][2]string{},
	}
	for _, name := range sortedKeys(response.Header) {
		for _, value := range response.Header[name] {
			result.Headers = append(result.Headers, [2]string{strings.ToLower(latin1(name)), latin1(value)})
		}
	}
	result.Body, err = encode(body, "base64")
	return result, err
}

// withhold takes from a request that follows a redirect what the next host has no business to know: the URL that
// redirected, and credentials once the origin has changed. (Package http tells no ports and schemes apart.)
func withhold(next *http.Request, via []*http.Request) {
	if via[0].Header.Get("Referer") == "" {
		next.Header.Del("Referer")
	}
	origin := func(r *http.Request) string {
		t, err := targetOf(r.URL)
		if err != nil {
			return ""
		}
		return r.URL.Scheme + " " + t.String()
	}
	for _, r := range slices.Concat(via[1:], []*http.Request{next}) {
		if origin(r) != origin(via[0]) {
			for _, name := range []string{"Authorization", "Cookie", "Proxy-Authorization"} {
				next.Header.Del(name)
			}
		}
	}
}

func (p *call) newHTTPRequest(ctx context.Context, a *fetchArgs) (*http.Request, error) {
	var body io.Reader
	if a.Body != nil {
		data, err := decode(*a.Body, a.BodyEncoding)
		if err != nil {
			return nil, err
		}
		body = strings.NewReader(string(data))
	}
	request, err := http.NewRequestWithContext(ctx, a.Method, a.URL, body)
	if err != nil {
		return nil, typeError("fetch: %v", err)
	}
	for _, h := range a.Headers {
		value, ok := fromLatin1(h[1])
		if !ok {
			return nil, typeError("fetch: the header %s has a character that no header can have", h[0])
		}
		request.Header.Add(h[0], value)
	}
	if request.Header.Get("User-Agent") == "" {
		request.Header.Set("User-Agent", "sexton")
	}
	if host := request.Header.Get("Host"); host != "" {
		return nil, typeError("fetch: the header Host follows from the URL, got %q", host)
	}
	switch a.Redirect {
	case "", "follow", "error", "manual":
	default:
		return nil, typeError("fetch: redirect is follow, error or manual, got %q", a.Redirect)
	}
	return request, p.mayConnect(request.URL)
}

func (p *call) mayConnect(u *url.URL) error {
	if u.Scheme != "http" && u.Scheme != "https" {
		return typeError("fetch: %q is no http or https URL", u.Redacted())
	}
	t, err := targetOf(u)
	if err != nil {
		return typeError("fetch: %q: %v", u.Redacted(), err)
	}
	return p.policy.connect(t)
}

// targetOf is where a URL leads.
func targetOf(u *url.URL) (*target, error) {
	t, err := parseHost(u.Hostname())
	if err != nil {
		return nil, err
	}
	t.port = map[string]int{"http": 80, "https": 443, "socks5": 1080, "socks5h": 1080}[u.Scheme]
	if u.Port() != "" {
		n, err := strconv.ParseUint(u.Port(), 10, 16)
		if err != nil || n == 0 {
			return nil, fmt.Errorf("%q is no port", u.Port())
		}
		t.port = int(n)
	}
	return &t, nil
}

func fetchError(ctx context.Context, r *http.Request, err error) error {
	var own *Error
	what := fmt.Sprintf("fetch %s %s", r.Method, r.URL.Redacted())
	switch {
	case errors.As(err, &own): // a redirect that is not permitted
		return own
	case context.Cause(ctx) == errClosed:
		return errClosed
	case ctx.Err() != nil:
		return cancelled(ctx, what)
	}
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	failed := &Error{Name: "TypeError", Code: "ERR_FETCH_FAILED", Message: fmt.Sprintf("%s: %s", what, clean(err.Error()))}
	if code := connectionCode(err); code != "" {
		failed = failed.withDetail(map[string]*Error{"cause": {Name: "Error", Code: code, Message: clean(err.Error())}})
	}
	return failed
}

// connectionCode is the code that Node has for why there was no connection; empty if it is another reason.
func connectionCode(err error) string {
	var dns *net.DNSError
	var host x509.HostnameError
	var authority x509.UnknownAuthorityError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, &dns) && dns.IsNotFound:
		return "ENOTFOUND"
	case errors.As(err, &dns):
		return "EAI_AGAIN"
	case errors.As(err, &host):
		return "ERR_TLS_CERT_ALTNAME_INVALID"
	case errors.As(err, &authority):
		return "UNABLE_TO_VERIFY_LEAF_SIGNATURE"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "CERT_HAS_EXPIRED"
	}
	for _, c := range connectionCodes {
		if errors.Is(err, c.match) {
			return c.code
		}
	}
	return ""
}

var connectionCodes = []struct {
	match error
	code  string
}{
	{syscall.ECONNREFUSED, "ECONNREFUSED"}, {syscall.ECONNRESET, "ECONNRESET"}, {syscall.EHOSTUNREACH, "EHOSTUNREACH"},
	{syscall.ENETUNREACH, "ENETUNREACH"}, {syscall.EPIPE, "EPIPE"}, {os.ErrDeadlineExceeded, "ETIMEDOUT"}, {io.ErrUnexpectedEOF, "ECONNRESET"},
	{io.EOF, "ECONNRESET"},
}

// latin1 is the text of a header, which is bytes, as scripts see it: a character for each of them.
func latin1(header string) string {
	text := make([]rune, len(header))
	for i := range len(header) {
		text[i] = rune(header[i])
	}
	return string(text)
}

// fromLatin1 is the reverse; false if the text has other characters.
func fromLatin1(text string) (header string, ok bool) {
	data := make([]byte, 0, len(text))
	for _, r := range text {
		if r > 0xff {
			return "", false
		}
		data = append(data, byte(r))
	}
	return string(data), true
}

type callKey struct{}

// newTransport is a transport of our own: connections of one Performer end with it. What it dials is checked by
// the permissions of the call that its context has.
func newTransport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.ResponseHeaderTimeout = 0 // the script's signal, or its deployment's time, bounds the whole
	t.IdleConnTimeout = 10 * time.Second
	t.Proxy = func(r *http.Request) (*url.URL, error) { return r.Context().Value(callKey{}).(*call).throughProxy(r) }
	t.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		return ctx.Value(callKey{}).(*call).dial(ctx, network, address)
	}
	return t
}

// throughProxy returns the proxy for a request that the operator's environment names (HTTPS_PROXY and so on). Scripts
// need permission to connect to it as to any other host. It looks names up itself, so that nobody here sees what
// addresses they lead to.
func (p *call) throughProxy(r *http.Request) (*url.URL, error) {
	proxy, err := p.proxy(r)
	if err != nil || proxy == nil {
		return nil, err
	}
	t, err := targetOf(proxy)
	if err != nil {
		return nil, fmt.Errorf("the proxy that the environment names: %w", err)
	}
	return proxy, p.policy.connect(t)
}

// dial connects to a host that permissions allow. Each address that is tried is checked at the last moment, when no
// further look-up can put another one in its place.
func (p *call) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	t, err := parseHost(host)
	if err != nil {
		return nil, err
	}
	if t.port, err = strconv.Atoi(port); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(p.open, cancel)() // others may wait for it, not only this call
	dialer := &net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second, Resolver: p.resolver}
	dialer.ControlContext = func(_ context.Context, _, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil {
			return err
		}
		return p.policy.address(&t, to)
	}
	return dialer.DialContext(ctx, network, address)
}
