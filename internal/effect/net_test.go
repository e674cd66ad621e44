package effect

import (
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Each entry, with what it grants and what it does not, as hosts and ports of URLs.
func TestNetGrants(t *testing.T) {
	for _, c := range []struct {
		entry   string
		grants  []string
		refuses []string
	}{
		{
			"example.org",
			[]string{"http://example.org/", "https://example.org:8443/", "http://EXAMPLE.org/", "http://example.org./", "http://evil.test@example.org/",
				"http://example.org#@evil.test/", "http://example.org?@evil.test/"},
			[]string{"http://example.org.evil.test/", "http://www.example.org/", "http://notexample.org/", "http://example.org@evil.test/",
				"http://example.org:80@evil.test/", "http://example.com/", "http://evil.test/example.org", "http://evil.test/#example.org"},
		},
		{
			"example.org:443",
			[]string{"https://example.org/", "https://example.org:443/", "http://example.org:443/", "https://example.org:/"},
			[]string{"http://example.org/", "https://example.org:444/", "http://example.org:80/", "http://example.org:/", "http://example.org:4430/"},
		},
		{
			"*.example.org:443",
			[]string{"https://a.example.org/", "https://a.b.example.org/", "https://A.EXAMPLE.ORG./"},
			[]string{"https://example.org/", "https://aexample.org/", "http://a.example.org/", "https://a.example.org.evil.test/"},
		},
		{
			"127.0.0.1:80",
			[]string{"http://127.0.0.1/", "http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/", "http://[0:0:0:0:0:ffff:7f00:1]/"},
			[]string{"http://127.0.0.2/", "http://127.0.0.1:81/", "http://[::1]/", "http://localhost/", "http://0.0.0.0/", "http://[::]/"},
		},
		{
			"[::1]:80",
			[]string{"http://[::1]/", "http://[0:0:0:0:0:0:0:1]/", "http://[::1]:80/"},
			[]string{"http://127.0.0.1/", "http://[::]/", "http://[::1]:8080/", "http://[::2]/"},
		},
		{
			"fe80::1",
			[]string{"http://[fe80::1%25eth0]/", "http://[fe80::1]:8080/"},
			[]string{"http://[fe80::2%25eth0]/"},
		},
		{
			"10.0.0.0/8:5432",
			[]string{"http://10.0.0.1:5432/", "http://10.255.255.255:5432/", "http://[::ffff:10.1.2.3]:5432/"},
			[]string{"http://11.0.0.1:5432/", "http://10.0.0.1/", "http://ten.test:5432/"},
		},
		{
			"[fd00::/8]:443",
			[]string{"https://[fd12::1]/"},
			[]string{"https://[fe00::1]/", "http://[fd12::1]/"},
		},
		{
			"*:443",
			[]string{"https://anything.test/", "https://127.0.0.1/"},
			[]string{"http://anything.test/"},
		},
		{
			"*",
			[]string{"http://anything.test:1/", "http://169.254.169.254/"},
			nil,
		},
	} {
		pol, err := newPolicy(t.TempDir(), &Permissions{Net: []string{c.entry}})
		require.NoError(t, err)
		check := func(text string) error {
			u, err := url.Parse(text)
			require.NoError(t, err, text)
			to, err := targetOf(u)
			require.NoError(t, err, text)
			return pol.connect(to)
		}
		for _, u := range c.grants {
			require.NoError(t, check(u), "%s grants %s", c.entry, u)
		}
		for _, u := range c.refuses {
			var e *Error
			require.ErrorAs(t, check(u), &e, "%s refuses %s", c.entry, u)
			require.Equal(t, "PermissionDenied", e.Name)
		}
	}
}

// What one parser takes for an address and another for a name is neither, in grants and in URLs.
func TestHostsThatAreNone(t *testing.T) {
	for _, host := range []string{
		"2130706433", "0x7f000001", "0X7F000001", "127.1", "127.0.1", "0177.0.0.1", "127.0.0.01", "0x7f.0.0.1", "1.2.3.4.5", "1.2.3.999", "127.0.0.1.",
		"", ".", "..", "a..b", ".a", "a..", "*", "a*.test", "ｌｏｃａｌｈｏｓｔ", "bücher.test", "a b", "a/b", "a@b", "a%62", "localhost\x00.test", "[a]", "a:b:c",
	} {
		_, err := parseHost(host)
		require.Error(t, err, host)
	}
	for _, entry := range []string{
		"2130706433", "127.1:80", "*.127.0.0.1", "*.10.0.0.0/8", "10.1.2.3/8", "10.0.0.0/33", "::ffff:10.0.0.0/104", "fe80::1%eth0", "a.*.test", "**", "*.",
		"http://a.test", "a.test/", "a.test:0", "a.test:65536", "a.test:-1", "a.test:80:80", "user@a.test", "[::1", "::1]", "bücher.test", "",
	} {
		require.Error(t, checkEntry("net", entry), entry)
	}
	require.EqualError(t, checkEntry("net", "10.1.2.3/8"), `"10.1.2.3/8" is no network: write 10.0.0.0/8, or the address alone`)
}

func TestSpecialAddresses(t *testing.T) {
	for text, want := range map[string]string{
		"127.0.0.1": "loopback", "127.255.255.254": "loopback", "::1": "loopback", "::ffff:127.0.0.1": "loopback",
		"64:ff9b::7f00:1": "loopback", "169.254.169.254": "link-local", "fe80::1": "link-local", "64:ff9b::a9fe:a9fe": "link-local",
		"10.0.0.1": "private", "172.16.0.1": "private", "172.31.255.255": "private", "192.168.1.1": "private", "100.64.0.1": "private",
		"fd00::1": "private", "::ffff:10.0.0.1": "private", "0.0.0.0": "unspecified", "0.1.2.3": "unspecified", "::": "unspecified",
		"224.0.0.1": "multicast", "ff02::1": "multicast", "255.255.255.255": "reserved", "2002:7f00:1::": "reserved", "::7f00:1": "reserved",
		"1.1.1.1": "", "172.32.0.1": "", "172.15.255.255": "", "100.128.0.1": "", "2606:4700::1": "", "64:ff9b::101:101": "", "11.0.0.1": "",
	} {
		require.Equal(t, want, special(netip.MustParseAddr(text).Unmap()), text)
	}
}

// What a name leads to is refused if it is not public, unless the address is granted.
func TestAddressesOfNames(t *testing.T) {
	for _, c := range []struct {
		grants, host, address, refused string
	}{
		{"a.test", "a.test", "93.184.216.34:80", ""},
		{"a.test", "a.test", "[2606:4700::1]:80", ""},
		{"a.test", "a.test", "127.0.0.1:80", "connect to a.test:80 at its loopback address 127.0.0.1 is not permitted: run with --allow-net=127.0.0.1:80"},
		{"a.test", "a.test", "[::1]:80", "loopback address ::1 is not permitted: run with --allow-net=[::1]:80"},
		{"a.test", "a.test", "[::ffff:127.0.0.1]:80", "loopback address 127.0.0.1"},
		{"a.test", "a.test", "[::ffff:169.254.169.254]:80", "link-local address 169.254.169.254"},
		{"a.test", "a.test", "[fe80::1%eth0]:80", "link-local address fe80::1"},
		{"a.test", "a.test", "0.0.0.0:80", "unspecified address"},
		{"a.test", "a.test", "10.1.2.3:80", "private address"},
		{"*.test", "a.test", "10.1.2.3:80", "private address"},
		{"a.test 10.0.0.0/8", "a.test", "10.1.2.3:80", ""},
		{"a.test 10.0.0.0/8:443", "a.test", "10.1.2.3:80", "private address"},
		{"a.test 127.0.0.1", "a.test", "127.0.0.1:80", ""},
		{"a.test 127.0.0.1", "a.test", "127.0.0.2:80", "loopback address"},
		{"a.test 127.0.0.1", "a.test", "[::1]:80", "loopback address"},
		{"*", "a.test", "127.0.0.1:80", ""},
		{"localhost", "localhost", "127.0.0.1:80", ""},
		{"localhost", "localhost", "[::1]:80", ""},
		{"localhost", "localhost", "10.0.0.1:80", "private address"},
		{"*.localhost", "a.localhost", "127.0.0.1:80", ""},
		{"localhost a.test", "a.test", "127.0.0.1:80", "loopback address"},
		{"127.0.0.1", "127.0.0.1", "127.0.0.1:80", ""},
	} {
		pol, err := newPolicy(t.TempDir(), &Permissions{Net: strings.Fields(c.grants)})
		require.NoError(t, err)
		to, err := parseHost(c.host)
		require.NoError(t, err)
		to.port = 80
		require.NoError(t, pol.connect(&to))
		err = pol.address(&to, netip.MustParseAddrPort(c.address))
		if c.refused == "" {
			require.NoError(t, err, "%+v", c)
		} else {
			require.ErrorContains(t, err, c.refused, "%+v", c)
		}
	}
}
