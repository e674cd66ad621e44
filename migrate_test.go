package sexton_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/objectstore"
)

// version1 has disks with a size in MB, of which one holds another one that no model names.
const version1 = `
-- package.json --
{"name": "app", "version": "1.0.0"}
-- index.ts --
import { Resource, Environment } from "sexton";
import { log } from "test/log";
export class Disk extends Resource {
	static properties = {
		sizeMB: { type: "number", usage: "inout", default: 0 }, spare: { type: "Disk", usage: "out", optional: true },
		seen: { type: "date", usage: "out", optional: true }, key: { type: "secret", usage: "out", optional: true },
	};
	declare sizeMB: number; declare spare?: Disk; declare seen: Date; declare key: string;
	deploy() { if (!this.spare) { this.seen = new Date(5); this.key = "hunter22"; this.spare = new Disk({ sizeMB: 512 }, this, { id: this.$id + "-spare" }); } }
	destroy() { log("destroy", this.$id, this.sizeMB); }
}
`

// version2 has sizes in bytes.
const version2 = `
-- package.json --
{"name": "app", "version": "2.0.0"}
-- index.ts --
import { Resource } from "sexton";
import { log } from "test/log";
import * as mode from "test/mode";
export class Disk extends Resource {
	static properties = {
		bytes: { type: "number", usage: "out", optional: true }, spares: { type: ["Disk"], usage: "out", default: [] },
		seen: { type: "date", usage: "out", optional: true }, key: { type: "secret", usage: "out", optional: true },
	};
	static migrate({ sizeMB, spare, ...rest }, from) {
		log("migrate", from, sizeMB, JSON.stringify(spare ?? null), rest.seen instanceof Date);
		if (mode.fails("migrate")) throw new RangeError("cannot tell " + rest.key);
		if (mode.fails("async")) return Promise.resolve({});
		if (mode.fails("number")) return 5;
		if (mode.fails("name")) return { byte: 5 };
		if (mode.fails("type")) return { bytes: "5" };
		if (mode.fails("dangling")) return { spares: [{ $ref: "nobody" }] };
		return { bytes: sizeMB * 2 ** 20, spares: spare ? [spare] : undefined, ...rest };
	}
	declare bytes: number; declare spares: Disk[];
	deploy() { log("deploy", this.bytes, this.spares.length); }
	destroy() { log("destroy", this.$id, this.bytes); }
}
`

const disk = `{"?": {"type": "Environment", "id": "root"}, "applications": [{"?": {"type": "Disk", "id": "d"}}]}`

// What was saved by an older version is migrated when it is loaded: what the model keeps, what only other objects hold, what
// is dropped, and what is doomed. It is saved as of the new version, so that happens once.
func TestMigrate(t *testing.T) {
	e := newEnv(t, version1)
	e.must(disk)
	require.Contains(t, e.snapshot(), `"id": "d-spare", "type": "app/Disk", "version": "1.0.0"`)
	before := e.snapshot()
	e.write(version2)
	model := &sexton.Model{Data: []byte(disk)}
	environment, err := sexton.Open(&e.opts)
	require.NoError(t, err)
	plan, err := environment.Plan(context.Background(), model)
	require.NoError(t, err)
	require.Equal(t, []string{"d", "d-spare"}, ids(plan.Change), "a plan shows it")
	require.Equal(t, before, e.snapshot(), "and changes nothing")
	e.log = nil
	r := e.must(disk, `migrate 1.0.0 0 {"$ref":"d-spare"} true`, "migrate 1.0.0 512 null false", "deploy 0 1")
	require.Equal(t, []string{"d", "d-spare"}, ids(r.Changed))
	after := e.snapshot()
	require.Contains(t, after, `"id": "d-spare", "type": "app/Disk", "version": "2.0.0"`)
	require.Contains(t, after, `"bytes": 536870912`)
	require.Contains(t, after, `"spares": [ { "$ref": "d-spare" } ]`)
	require.NotContains(t, after, "hunter22", "a secret stays one")
	e.must(disk, "deploy 0 1")
}

func TestMigrateWhatGoes(t *testing.T) {
	e := newEnv(t, version1)
	e.must(disk)
	e.write(version2)
	e.must(empty, `migrate 1.0.0 0 {"$ref":"d-spare"} true`, "migrate 1.0.0 512 null false", "destroy d-spare 536870912", "destroy d 0")

	e = newEnv(t, strings.Replace(version1, `log("destroy", this.$id, this.sizeMB);`, `throw new Error("resists");`, 1))
	e.must(disk)
	_, err := e.deploy(empty)
	require.ErrorIs(t, err, sexton.ErrIncomplete)
	e.write(version2)
	e.must(empty, `migrate 1.0.0 0 {"$ref":"d-spare"} true`, "migrate 1.0.0 512 null false", "destroy d-spare 536870912", "destroy d 0")
}

// An error names the object, its class and the versions, and leaves the state as it was.
func TestMigrateFails(t *testing.T) {
	for how, want := range map[string]string{
		"migrate":  "migrate from version 1.0.0 to 2.0.0: app/Disk d: RangeError: cannot tell ***",
		"async":    "app/Disk d: migrate returned a promise",
		"number":   "migrate returned number 5: it must return an object with the properties",
		"name":     "migrate returned property byte, which the class does not declare; did you mean bytes?",
		"type":     "expected number, got string",
		"dangling": "nobody",
	} {
		e := newEnv(t, version1)
		e.must(disk)
		before := e.snapshot()
		e.write(version2)
		e.fails[how] = true
		_, err := e.deploy(disk)
		require.ErrorContains(t, err, want)
		require.Equal(t, before, e.snapshot(), how)
		e.fails[how], e.log = false, nil
		_, err = e.deploy(disk)
		require.NoError(t, err, how)
	}
}

// What a newer version has saved is not taken for what it was before.
func TestNewerVersion(t *testing.T) {
	e := newEnv(t, version2)
	e.must(disk, "deploy undefined 0")
	before := e.snapshot()
	for version, wrong := range map[string]bool{
		"1.9.9": true, "2.0.0-rc.1": true, "2.0.0+build.5": false, "2.0.1": false, "10.0.0": false, "next": false, "": false,
	} {
		e.write(strings.Replace(version2, `"version": "2.0.0"`, `"version": "`+version+`"`, 1))
		environment, err := sexton.Open(&e.opts)
		require.NoError(t, err)
		_, err = environment.Plan(context.Background(), &sexton.Model{Data: []byte(disk)})
		var newer *objectstore.NewerError
		if wrong {
			require.ErrorAs(t, err, &newer, version)
			require.ErrorContains(t, err, "load: app/Disk d: it was saved by version 2.0.0 of its package, and this is version "+version)
			_, err = e.deploy(empty)
			require.ErrorAs(t, err, &newer, version)
		} else if err != nil {
			require.NotErrorAs(t, err, &newer, version)
		}
	}
	require.Equal(t, before, e.snapshot())
}
