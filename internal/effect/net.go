package effect

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// netGrant is an entry of Permissions.Net, parsed. Exactly one of any, name and prefix is set.
type netGrant struct {
	entry  string
	any    bool         // every host and address
	name   string       // of a host; with below, of what the hosts are below
	below  bool         // *.name
	prefix netip.Prefix // addresses; one address is a prefix of full length
	port   int          // 0: any
}

// target is where a connection is to go.
type target struct {
	name string     // of the host; empty: addr is the host
	addr netip.Addr // without zone, IPv4 where it is one
	port int
}

func (t *target) String() string {
	host := t.name
	if host == "" {
		host = t.addr.String()
	}
	return net.JoinHostPort(host, strconv.Itoa(t.port))
}

var errNoHost = errors.New("neither HOST nor HOST:PORT")

// parseNet reads an entry of Permissions.Net.
func parseNet(entry string) (g netGrant, err error) {
	g.entry = entry
	host := entry
	if h, port, err := net.SplitHostPort(entry); err == nil {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 {
			return g, fmt.Errorf("%q is %w", entry, errNoHost)
		}
		host, g.port = h, int(n)
	} else if inner, ok := strings.CutPrefix(entry, "["); ok && strings.HasSuffix(inner, "]") {
		host = strings.TrimSuffix(inner, "]")
	}
	switch {
	case host == Everything:
		g.any = true
		return g, nil
	case strings.Contains(host, "/"):
		g.prefix, err = parsePrefix(host)
		if err != nil {
			return g, fmt.Errorf("%q is %w", entry, err)
		}
		return g, nil
	}
	host, g.below = strings.CutPrefix(host, "*.")
	t, err := parseHost(host)
	switch {
	case err != nil:
		return g, fmt.Errorf("%q is %w", entry, errNoHost)
	case t.name != "":
		g.name = t.name
	case g.below || strings.Contains(host, "%"):
		return g, fmt.Errorf("%q is %w", entry, errNoHost)
	default:
		g.prefix = netip.PrefixFrom(t.addr, t.addr.BitLen())
	}
	return g, nil
}

func parsePrefix(text string) (netip.Prefix, error) {
	prefix, err := netip.ParsePrefix(text)
	if err != nil || prefix.Addr().Is4In6() {
		return prefix, errNoHost
	}
	if prefix != prefix.Masked() {
		return prefix, fmt.Errorf("no network: write %v, or the address alone", prefix.Masked())
	}
	return prefix, nil
}

// parseHost reads a host as URLs have it: an address, or a name, which becomes lower case without the dot at its
// end. What some resolvers take for an address although it is none in the usual form (127.1, 0x7f000001, 0177.0.0.1)
// is neither. Names of other scripts than ASCII have to be written as DNS has them (xn--…).
func parseHost(host string) (t target, err error) {
	if addr, err := netip.ParseAddr(host); err == nil {
		t.addr = addr.WithZone("").Unmap()
		return t, nil
	}
	name := strings.TrimSuffix(host, ".")
	labels := strings.Split(name, ".")
	for _, label := range labels {
		valid := func(r rune) bool {
			return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_'
		}
		if label == "" || strings.ContainsFunc(label, func(r rune) bool { return !valid(r) }) {
			return t, fmt.Errorf("%q is no name of a host", host)
		}
	}
	if isNumber(labels[len(labels)-1]) {
		return t, fmt.Errorf("%q is no name of a host, and no address as a.b.c.d", host)
	}
	t.name = strings.ToLower(name)
	return t, nil
}

// isNumber reports whether parsers of addresses may take the label for a number.
func isNumber(label string) bool {
	if digits, ok := strings.CutPrefix(strings.ToLower(label), "0x"); ok {
		return strings.Trim(digits, "0123456789abcdef") == ""
	}
	return strings.Trim(label, "0123456789") == ""
}

// matches reports whether the grant covers the host as it was asked for.
func (g *netGrant) matches(t *target) bool {
	switch {
	case g.port != 0 && g.port != t.port:
		return false
	case g.any:
		return true
	case t.name == "":
		return g.prefix.Contains(t.addr) // no prefix at all contains nothing
	case g.below:
		return strings.HasSuffix(t.name, "."+g.name)
	}
	return g.name != "" && g.name == t.name
}

// connect checks that a connection to the host may be asked for.
func (pol *policy) connect(t *target) error {
	at := t.String()
	if i := slices.IndexFunc(pol.net, func(g netGrant) bool { return g.matches(t) }); i >= 0 {
		pol.allowed("net", at, pol.net[i].entry, at)
		return nil
	}
	return pol.denied("connect to "+at, "net", at, at)
}

// address checks the address that a connection really goes to, after all look-ups: what a name leads to is public
// unless an entry grants the address itself. Else whoever answers for a name could lead scripts to this machine and
// its neighbours.
func (pol *policy) address(t *target, addr netip.AddrPort) error {
	real := target{addr: addr.Addr().WithZone("").Unmap(), port: int(addr.Port())}
	kind := special(real.addr)
	if kind == "" || kind == "loopback" && (t.name == "localhost" || strings.HasSuffix(t.name, ".localhost")) {
		return nil
	}
	at := real.String()
	if i := slices.IndexFunc(pol.net, func(g netGrant) bool { return g.matches(&real) }); i >= 0 {
		if t.name != "" {
			pol.allowed("net", at, pol.net[i].entry, at)
		}
		return nil
	}
	asked := fmt.Sprintf("connect to %v at its %s address %v", t, kind, real.addr)
	return pol.denied(asked, "net", at, at)
}

// specials are the networks that are not the public internet, by what they are for.
var specials = []struct {
	kind     string
	networks []netip.Prefix
}{
	{"loopback", prefixes("127.0.0.0/8", "::1/128")},
	{"link-local", prefixes("169.254.0.0/16", "fe80::/10")},
	{"private", prefixes("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7", "fec0::/10", "64:ff9b:1::/48")},
	{"unspecified", prefixes("0.0.0.0/8", "::/128")},
	{"multicast", prefixes("224.0.0.0/4", "ff00::/8")},
	// 6to4, Teredo and IPv4-compatible addresses have an IPv4 address inside, which may be any of the above.
	{"reserved", prefixes("192.0.0.0/24", "198.18.0.0/15", "240.0.0.0/4", "::/96", "100::/64", "2001::/32", "2002::/16")},
}

// nat64 are addresses with an IPv4 address in their last four bytes.
var nat64 = netip.MustParsePrefix("64:ff9b::/96")

func prefixes(texts ...string) []netip.Prefix {
	list := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		list[i] = netip.MustParsePrefix(text)
	}
	return list
}

// special says what an address is for that is not public; empty: it is public.
func special(addr netip.Addr) string {
	if nat64.Contains(addr) {
		inner := addr.As16()
		return special(netip.AddrFrom4([4]byte(inner[12:])))
	}
	for _, s := range specials {
		if slices.ContainsFunc(s.networks, func(p netip.Prefix) bool { return p.Contains(addr) }) {
			return s.kind
		}
	}
	return ""
}
