package sexton_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Classes of dependencies have the names and versions of their packages: of one that is linked, of two versions of one, and
// of one that another one needs. What has no "sexton" in package.json is a library.
func TestDependencies(t *testing.T) {
	e := newEnv(t, `
-- package.json --
{"name": "app", "version": "1.0.0", "dependencies": {"@acme/net": "1", "site": "*", "lib": "*", "missing": "*"}}
-- index.ts --
import { Environment } from "sexton";
import { log } from "test/log";
import { Network } from "@acme/net";
import { Site } from "site";
export { Network };
export class App extends Environment {
	deploy() {
		const [net, site] = this.applications as any[];
		log(net instanceof Network, site instanceof Site, site.net instanceof Network);
	}
}
-- node_modules/@acme/net/package.json --
{"name": "@acme/net", "version": "1.5.0", "main": "net.js", "sexton": {}}
-- node_modules/@acme/net/net.js --
import { Resource } from "sexton";
import { log } from "test/log";
export class Network extends Resource { destroy() { log("destroy", this.$type); } }
-- packages/site/package.json --
{"name": "site", "version": "3.0.0", "dependencies": {"@acme/net": "2"}, "sexton": {"permissions": {"run": ["*"]}}}
-- packages/site/index.ts --
import { Resource } from "sexton";
import { Network } from "@acme/net";
export class Site extends Resource { static properties = { net: Network } }
-- packages/site/node_modules/@acme/net/package.json --
{"name": "@acme/net", "version": "2.1.0", "main": "net.js", "sexton": {}}
-- packages/site/node_modules/@acme/net/net.js --
import { Resource } from "sexton";
import { log } from "test/log";
export class Network extends Resource { destroy() { log("destroy", this.$type, "of 2"); } }
-- node_modules/lib/package.json --
{"name": "lib", "main": "nowhere.js"}
`)
	require.NoError(t, os.Symlink(filepath.FromSlash("../packages/site"), filepath.Join(e.dir, "node_modules", "site")))
	e.must(`{"?": {"type": "App", "id": "root"}, "applications": [
		{"?": {"type": "net/Network", "id": "net"}}, {"?": {"type": "Site", "id": "site"}, "net": {"?": {"id": "inner"}}}]}`, "true true false")
	snapshot := e.snapshot()
	require.Contains(t, snapshot, `"id": "net", "type": "net/Network", "version": "1.5.0"`)
	require.Contains(t, snapshot, `"id": "site", "type": "site/Site", "version": "3.0.0"`)
	require.Contains(t, snapshot, `"id": "inner", "type": "@acme/net@2/Network", "version": "2.1.0"`)
	e.must(empty, "destroy net/Network", "destroy @acme/net@2/Network of 2")
}
