package sexton_test

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton"
)

// fetching are classes that talk to a server.
const fetching = `
-- package.json --
{"name": "app", "version": "1.0.0"}
-- index.ts --
import { Resource, GC } from "sexton";
import { exec } from "sexton/process";
const told = async (what: string, f: () => Promise<any>) => {
	try { console.log(what, await f()); } catch (e) { console.log(what, e.name, e.message); }
};
export class Thing extends Resource {
	destroy() { console.log(this.$id, "goes"); }
}
export class Api extends Resource {
	static properties = { url: "string", does: "string", password: { type: "secret", optional: true }, id: { type: "string", usage: "out", optional: true } };
	declare url: string; declare does: string; declare password: string; declare id: string;
	async deploy() { await this[this.does](); }
	async talk() {
		const answer = await fetch(this.url + "/echo?a=b c", { headers: { "X-In": "é", Accept: "text/plain" } });
		console.log(answer.status, answer.statusText, answer.ok, answer.url === this.url + "/echo?a=b%20c", answer.headers.get("x-two"), await answer.text());
		const post = await fetch(new URL("/echo", this.url), { method: "POST", body: JSON.stringify({ a: 1 }), headers: { "content-type": "application/json" } });
		console.log(post.status, await post.text());
		console.log(Array.from(await (await fetch(this.url + "/echo", { method: "PUT", body: new Uint8Array([0, 255]) })).bytes()).join());
		const moved = await fetch(this.url + "/there");
		console.log(moved.redirected, moved.url === this.url + "/echo", await moved.text());
		console.log((await fetch(this.url + "/there", { redirect: "manual" })).headers.get("location"));
		await told("error", () => fetch(this.url + "/there", { redirect: "error" }));
		await told("denied", () => fetch("http://elsewhere.test/", { method: "POST" }));
		const refused = await fetch("http://127.0.0.1:1/").catch((e) => e);
		console.log("refused", refused.name, refused.cause instanceof Error, refused.cause.code);
		await told("large", () => fetch(this.url, { method: "POST", body: "x".repeat(2 ** 24 + 1) }));
	}
	async stop() {
		const controller = new AbortController();
		const hanging = fetch(this.url + "/hang", { signal: controller.signal });
		await (await fetch(this.url + "/hanging")).text();
		controller.abort(new RangeError("enough"));
		await told("aborted", () => hanging);
		console.log("ended", await (await fetch(this.url + "/ended")).text());
		await told("timeout", () => fetch(this.url + "/hang", { method: "POST", signal: AbortSignal.any([AbortSignal.timeout(50), new AbortController().signal]) }));
		const killed = await exec("sleep", ["1000"], { signal: AbortSignal.timeout(20) }).catch((e) => e);
		console.log(killed.name, killed.code, killed.cause.name);
		await told("many", async () => {
			const all = Array.from({ length: 1100 }, () => fetch(this.url + "/hang", { signal: AbortSignal.timeout(200) }).catch((e) => e.name));
			const names = new Set();
			for (const one of all) names.add(await one);
			return [...names].join();
		});
	}
	async collect() {
		const told = async (what: string) => console.log(what, (await GC.collect()).destroyed);
		const controller = new AbortController();
		let pending = ((o: any) => fetch(this.url + "/hang", { signal: controller.signal }).catch(() => o.$id))(new Thing({}, null, { id: "waits" }));
		((o: any) => { o.response = new Response("x"); o.response.o = o; o.request = new Request(this.url, { signal: controller.signal, headers: { a: "b" } }); o.request.o = o; })(new Thing({}, null, { id: "cycle" }));
		await (await fetch(this.url + "/hanging")).text();
		await told("pending");
		controller.abort();
		console.log(await pending);
		pending = null;
		await told("ended");
	}
	async login() {
		await fetch(this.url + "/echo", { method: "POST", headers: { Authorization: "Basic " + btoa("me:" + this.password) } });
		await fetch(this.url + "/echo", { method: "POST", body: new TextEncoder().encode(JSON.stringify({ login: this.password })) });
		await fetch(this.url + "/echo", { method: "POST", body: new URLSearchParams({ p: this.password }) });
		await fetch(this.url + "/echo?p=" + encodeURIComponent(this.password), { method: "DELETE", of: this });
		await fetch(this.url + "/look");
		console.log("login", this.password);
	}
	recover(effects) { console.log("recover", effects.map((e) => e.op + " " + (e.outcome === null ? "unknown" : e.outcome.result.status)).join()); }
	destroy() {}
}
`

// What a pending request will go on with is reachable, and no longer once it has ended.
func TestFetchAndCollect(t *testing.T) {
	e := api(t, sexton.IsolationProcess, newTestServer(t), `"does": "collect"`)
	require.Equal(t, []string{"cycle goes", "pending 1", "waits", "waits goes", "ended 1"}, e.log)
}

// testServer answers what fetching asks.
type testServer struct {
	*httptest.Server
	hanging, ended chan struct{}
	look           func()
}

func newTestServer(t *testing.T) *testServer {
	s := &testServer{hanging: make(chan struct{}, 2000), ended: make(chan struct{}, 2000)}
	mux := http.NewServeMux()
	mux.HandleFunc("/echo", func(w http.ResponseWriter, r *http.Request) {
		w.Header()["X-Two"] = []string{"1", "\xe9"}
		if r.Method == http.MethodPut {
			_, _ = io.Copy(w, r.Body)
			return
		}
		body, _ := io.ReadAll(r.Body)
		_, _ = fmt.Fprintf(w, "%s %x %s %s", r.Method, r.Header.Get("X-In"), r.Header.Get("Content-Type"), body)
	})
	mux.HandleFunc("/there", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/echo", http.StatusFound) })
	mux.HandleFunc("/hang", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // else the server does not see that the client is gone
		s.hanging <- struct{}{}
		<-r.Context().Done()
		s.ended <- struct{}{}
	})
	mux.HandleFunc("/hanging", func(http.ResponseWriter, *http.Request) { <-s.hanging })
	mux.HandleFunc("/ended", func(w http.ResponseWriter, r *http.Request) { <-s.ended; _, _ = io.WriteString(w, "yes") })
	mux.HandleFunc("/look", func(http.ResponseWriter, *http.Request) { s.look() })
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

// api deploys an Api in a new environment, in this process or with its scripts in another.
func api(t *testing.T, isolation sexton.Isolation, s *testServer, properties ...string) *env {
	e := newEnv(t, fetching)
	self, err := os.Executable()
	require.NoError(t, err)
	e.opts.Extensions, e.opts.Isolation, e.opts.Worker = nil, isolation, []string{self, "worker"}
	host := strings.TrimPrefix(s.URL, "http://")
	e.opts.Permissions = sexton.Permissions{Net: []string{host, "127.0.0.1:1"}, Run: []string{"sleep"}}
	s.look = func() {
		require.NoError(t, filepath.WalkDir(filepath.Join(e.dir, ".sexton"), func(path string, entry os.DirEntry, err error) error {
			require.NoError(t, err)
			if !entry.IsDir() {
				data, err := os.ReadFile(path)
				require.NoError(t, err)
				e.add("looked " + string(data))
			}
			return nil
		}))
	}
	_, err = e.deploy(apps(object("Api", "api", append(properties, fmt.Sprintf(`"url": %q`, s.URL))...)))
	require.NoError(t, err)
	return e
}

// What scripts fetch is the same in this process and in another one.
func TestFetch(t *testing.T) {
	for _, isolation := range []sexton.Isolation{sexton.IsolationNone, sexton.IsolationProcess} {
		t.Run(string(isolation), func(t *testing.T) {
			s := newTestServer(t)
			e := api(t, isolation, s, `"does": "talk"`)
			require.Equal(t, []string{
				"200 OK true true 1, é GET e9  ",
				`200 POST  application/json {"a":1}`,
				"0,255",
				"true true GET   ",
				"/echo",
				"error TypeError fetch GET " + s.URL + "/there: it redirects",
				"denied PermissionDenied connect to elsewhere.test:80 is not permitted: run with --allow-net=elsewhere.test:80",
				"refused TypeError true ECONNREFUSED",
				"large RangeError fetch POST " + s.URL + "/: the body has 16777217 bytes, of 16777216 at most",
			}, e.log)
		})
	}
}

// What is aborted ends on the other side of the connection.
func TestFetchAborted(t *testing.T) {
	for _, isolation := range []sexton.Isolation{sexton.IsolationNone, sexton.IsolationProcess} {
		t.Run(string(isolation), func(t *testing.T) {
			e := api(t, isolation, newTestServer(t), `"does": "stop"`)
			require.Equal(t, []string{
				"aborted RangeError enough",
				"ended yes",
				"timeout TimeoutError The operation was aborted due to timeout",
				"AbortError ABORT_ERR TimeoutError",
				"many TimeoutError",
			}, e.log)
		})
	}
}

// What changes something is in the journal, before it is sent, on behalf of its object; secrets are sealed there.
func TestFetchIsRecorded(t *testing.T) {
	const secret = "correct horse&battery"
	for _, isolation := range []sexton.Isolation{sexton.IsolationNone, sexton.IsolationProcess} {
		t.Run(string(isolation), func(t *testing.T) {
			e := api(t, isolation, newTestServer(t), `"does": "login"`, fmt.Sprintf(`"password": %q`, secret))
			require.Equal(t, "login ***", e.log[len(e.log)-1])
			looked := strings.Join(e.log, "\n")
			require.Equal(t, 4, strings.Count(looked, `"op":"net.fetch"`), looked)
			require.Equal(t, 4, strings.Count(looked, `"object":"api"`), looked)
			require.NotContains(t, looked, `"op":"net.get"`)
			for _, form := range []string{
				"correct", "battery", base64.StdEncoding.EncodeToString([]byte("me:" + secret)), base64.StdEncoding.EncodeToString([]byte(secret)),
			} {
				require.NotContains(t, looked, form)
			}
		})
	}
}
