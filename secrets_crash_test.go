package sexton_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/internal/state/simdisk"
)

// No write to the disk has a secret in it, and after a crash at any of them, the key with which it was sealed is
// there: the next deployment has the secrets.
func TestCrashWithSecrets(t *testing.T) {
	e := newEnv(t, `
-- package.json --
{"name": "app"}
-- index.js --
		import { Resource } from "sexton";
		export class Db extends Resource {
			static properties = {
				password: "secret", made: { type: "secret", usage: "out" }, url: { type: "string", usage: "out" }, resists: { type: "boolean", default: false },
			};
			deploy() {
				this.made ??= "made-by-deploy";
				if (this.made !== "made-by-deploy") throw new Error("it was " + this.made);
				this.url = "db://" + this.password;
			}
			loaded() {
				if (this.password !== "given-by-model") throw new Error("it was " + this.password);
				if (this.url !== undefined && this.url !== "db://" + this.password) throw new Error("it was " + this.url);
			}
			destroy() { if (this.resists) throw new Error("not with " + this.password); }
		}`)
	db := func(id, more string) string { return object("Db", id, `"password": "given-by-model"`+more) }
	models := []string{apps(db("a", ""), db("b", `, "resists": true`)), apps(db("a", "")), apps(db("a", ""), db("c", ""))}
	disk := simdisk.New()
	var ends []int
	for _, model := range models {
		_, err := e.deployOn(disk, context.Background(), model)
		if err != nil {
			require.ErrorIs(t, err, sexton.ErrIncomplete)
		}
		ends = append(ends, len(disk.Log()))
	}
	sealed := 0
	for i, op := range disk.Log() {
		for _, secret := range []string{"given-by-model", "made-by-deploy"} {
			require.NotContains(t, string(op.Data), secret, "operation %d: %s", i, op)
		}
		sealed += strings.Count(string(op.Data), "$sealed")
	}
	require.Greater(t, sealed, 6)

	step := 0
	for n := 0; n < len(disk.Log()); n += 3 {
		for n >= ends[step] {
			step++
		}
		variants := 0
		for text, crashed := range disk.Crashes(n, &simdisk.CrashOptions{Stride: 1 << 20, Random: 1}) {
			if variants++; variants > 2 {
				break
			}
			_, err := e.deployOn(crashed, context.Background(), models[step])
			if err != nil {
				require.ErrorIs(t, err, sexton.ErrIncomplete, fmt.Sprintf("step %d, %s", step+1, text))
			}
		}
	}
}
