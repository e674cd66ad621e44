package sexton_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton"
)

// volumes is a package whose Volume makes and removes a file, and tells of each step.
const volumes = `
import { Resource, Environment } from "sexton";
import { writeFile, rm } from "sexton/fs";
import { point } from "test/points";
export class Volume extends Resource {
	static properties = { made: { type: "any", usage: "out", optional: true } };
	declare made?: any;
	get label() { return this.$name ?? this.$id; }
	loaded() { point("loaded " + this.label); }
	async deploy() {
		if (this.made) return;
		await writeFile(this.label, "x");
		point("written " + this.label);
		this.made = this.label;
	}
	recover(effects: any[]) {
		point("recover " + this.label + " " + effects.map((e) => e.op));
		this.made = this.label;
	}
	async destroy() {
		point("destroy " + this.label + " " + this.made);
		await rm(this.label, { force: true });
		point("removed " + this.label);
	}
}
`

const (
	volumeModel = `{"?":{"type":"Environment","id":"root"},"applications":[{"?":{"type":"Volume","id":"v"}}]}`
	noVolume    = `{"?":{"type":"Environment","id":"root"}}`
)

// packageOf writes a package and returns its directory and a function that writes its source anew.
func packageOf(t *testing.T, source string) (dir string, rewrite func(source string)) {
	dir = t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"name":"app","version":"1.0.0","main":"index.ts"}`), 0o644))
	rewrite = func(source string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "index.ts"), []byte(source), 0o644))
	}
	rewrite(source)
	return dir, rewrite
}

// recover(effects) runs before anything else happens to an interrupted object: before loaded(), and before the
// destruction of one that the model drops, or whose destruction was what the crash interrupted.
func TestRecoverComesFirst(t *testing.T) {
	dir, _ := packageOf(t, volumes)
	passed, err := points(t, dir, volumeModel, "written v")
	require.Error(t, err)
	require.Equal(t, []string{"loaded v", "written v"}, passed)

	passed, err = points(t, dir, noVolume, "removed v")
	require.Error(t, err)
	require.Equal(t, []string{"recover v fs.writeFile", "loaded v", "destroy v v", "removed v"}, passed)

	passed, err = points(t, dir, noVolume, "")
	require.NoError(t, err)
	require.Equal(t, []string{"recover v fs.rm", "loaded v", "destroy v v", "removed v"}, passed)
	passed, err = points(t, dir, noVolume, "")
	require.NoError(t, err)
	require.Empty(t, passed)
}

// P1: an object whose recover(effects) fails is neither destroyed nor forgotten. It is asked again each time.
func TestRecoverFails(t *testing.T) {
	dir, rewrite := packageOf(t, volumes)
	_, err := points(t, dir, volumeModel, "written v")
	require.Error(t, err)
	rewrite(volumes + "Volume.prototype.recover = () => { point('no'); throw new Error('not now'); };")
	for range 2 {
		passed, err := points(t, dir, noVolume, "")
		require.ErrorContains(t, err, "recover(): Volume v: Error: not now")
		require.Equal(t, []string{"no"}, passed)
	}
	rewrite(volumes)
	passed, err := points(t, dir, noVolume, "")
	require.NoError(t, err)
	require.Equal(t, []string{"recover v fs.writeFile", "loaded v", "destroy v v", "removed v"}, passed)
	require.NoFileExists(t, filepath.Join(dir, "v"))
}

// P1: what an object did that cannot be loaded stays recorded, over any number of deployments, until it can.
func TestRecoverWaitsForBrokenObjects(t *testing.T) {
	dir, rewrite := packageOf(t, volumes)
	_, err := points(t, dir, volumeModel, "written v")
	require.Error(t, err)

	rewrite(`export {}`)
	for range 2 {
		_, err := points(t, dir, volumeModel, "")
		require.ErrorContains(t, err, "Volume")
		_, err = points(t, dir, noVolume, "")
		require.ErrorIs(t, err, sexton.ErrIncomplete)
	}
	rewrite(volumes)
	passed, err := points(t, dir, noVolume, "")
	require.NoError(t, err)
	require.Equal(t, []string{"recover v fs.writeFile", "loaded v", "destroy v v", "removed v"}, passed)
}

// P1: where a property could not be saved, what the object made is not known to the state. Its effects stay
// uncovered, so that recover(effects) tells.
func TestEffectsOfWhatCannotBeSaved(t *testing.T) {
	dir, rewrite := packageOf(t, volumes)
	rewrite(volumes + `
		Volume.prototype.deploy = async function (this: Volume) {
			await writeFile(this.label, "x");
			this.made = { file: this.label, close: () => {} };
		};`)
	_, err := points(t, dir, volumeModel, "")
	require.ErrorContains(t, err, "save: Volume v: property made.close: a function cannot be saved")
	rewrite(volumes)
	passed, err := points(t, dir, volumeModel, "")
	require.NoError(t, err)
	require.Equal(t, []string{"recover v fs.writeFile", "loaded v"}, passed)
	passed, err = points(t, dir, noVolume, "")
	require.NoError(t, err)
	require.Equal(t, []string{"loaded v", "destroy v v", "removed v"}, passed)
}

// P1: a constructor made an object while the environment was loaded, and loaded() had it make something. From
// then on it is an object like others: a crash does not forget it, and it goes by destroy() (gc 6.7).
func TestProvisionalObjectHasAnEffect(t *testing.T) {
	dir, _ := packageOf(t, volumes+`
		let first: Volume | null = null;
		export class Maker extends Resource {
			constructor(p: any, o: any, x: any) { super(p, o, x); first = new Volume({}, null, { name: "v" }); }
			async loaded() { await first!.deploy(); first = null; point("loaded " + this.$id); }
		}`)
	model := `{"?":{"type":"Environment","id":"root"},"applications":[{"?":{"type":"Maker","id":"m"}}]}`
	_, err := points(t, dir, model, "loaded m")
	require.Error(t, err)
	passed, err := points(t, dir, noVolume, "")
	require.NoError(t, err)
	require.Subset(t, passed, []string{"destroy v v", "removed v"})
	require.NoFileExists(t, filepath.Join(dir, "v"))

	dir2, _ := packageOf(t, readFile(t, dir, "index.ts"))
	passed, err = points(t, dir2, model, "")
	require.NoError(t, err)
	require.Equal(t, []string{"written v", "loaded m", "loaded v", "destroy v v", "removed v"}, passed)
}

// gc 1.2, 5.5: the process ended in the middle of a plan, and what is still to be destroyed refers to an object that
// is destroyed. The model has its id again: that is a new object, as it would be if the plan had come to its end.
func TestDestroyedObjectComesBack(t *testing.T) {
	users := volumes + `
		import { GC } from "sexton";
		export class User extends Volume {
			static properties = { volume: "Volume" };
			declare volume: Volume;
			constructor(p: any, o: any, x: any) { super(p, o, x); GC.subscribeDestruction(this.volume, this); }
		}`
	both := `{"?":{"type":"Environment","id":"root"},"applications":[{"?":{"type":"Volume","id":"v"}},{"?":{"type":"User","id":"u"},"volume":"v"}]}`
	made := []string{"destroy u u", "removed u", "loaded v", "written v"}

	dir, rewrite := packageOf(t, users)
	_, err := points(t, dir, both, "")
	require.NoError(t, err)
	_, err = points(t, dir, noVolume, "destroy u u")
	require.Error(t, err)
	passed, err := points(t, dir, volumeModel, "")
	require.NoError(t, err)
	require.Equal(t, made, passed[len(passed)-len(made):])
	require.FileExists(t, filepath.Join(dir, "v"))
	require.NoFileExists(t, filepath.Join(dir, "u"))

	// As long as the one that refers to it cannot be destroyed, there is no new one, and no new reference to the old one.
	_, err = points(t, dir, both, "")
	require.NoError(t, err)
	rewrite(users + "User.prototype.destroy = () => { throw new Error('not now'); };")
	for _, model := range []string{noVolume, volumeModel, volumeModel} {
		_, err = points(t, dir, model, "")
		require.ErrorIs(t, err, sexton.ErrIncomplete)
		require.NoFileExists(t, filepath.Join(dir, "v"))
	}
	require.ErrorContains(t, err, "replace: app/Volume v: destruction is incomplete: a new object of that id cannot be made while app/User u refers to the destroyed one")
	rewrite(users)
	passed, err = points(t, dir, volumeModel, "")
	require.NoError(t, err)
	require.Equal(t, made, passed[len(passed)-len(made):])
}

func readFile(t *testing.T, dir, name string) string {
	data, err := os.ReadFile(filepath.Join(dir, name))
	require.NoError(t, err)
	return string(data)
}
