package runtime_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton/runtime"
)

func BenchmarkCall(b *testing.B) {
	for name, limit := range map[string]time.Duration{"unlimited": 0, "limit": time.Second} {
		b.Run(name, func(b *testing.B) {
			rt, err := runtime.New(nil)
			require.NoError(b, err)
			defer rt.Close()
			require.NoError(b, rt.Run(b.Context(), func(*runtime.Task) error {
				fn, err := rt.Goja().RunString(`() => 1`)
				require.NoError(b, err)
				for b.Loop() {
					if _, err := rt.Call(fn, nil, limit); err != nil {
						return err
					}
				}
				return nil
			}))
		})
	}
}

// BenchmarkTask is a task that starts, waits for a promise and ends.
func BenchmarkTask(b *testing.B) {
	rt, err := runtime.New(nil)
	require.NoError(b, err)
	defer rt.Close()
	require.NoError(b, rt.Run(b.Context(), func(main *runtime.Task) error {
		fn, err := rt.Goja().RunString(`async () => { await null }`)
		require.NoError(b, err)
		for b.Loop() {
			rt.Go(func(t *runtime.Task) {
				p, err := rt.Call(fn, nil, 0)
				require.NoError(b, err)
				_, err = t.Await(p)
				require.NoError(b, err)
				main.Wake()
			})
			main.Park()
		}
		return nil
	}))
}

// BenchmarkLoadPackage builds and evaluates a package of 200 TypeScript files: without a cache; from one; and from one
// in a process that has done so before. The ratios are of the time without.
func BenchmarkLoadPackage(b *testing.B) {
	dir, cache := b.TempDir(), b.TempDir()
	large(b, dir)
	load := func(cache string) time.Duration {
		began := time.Now()
		opts := &runtime.BuildOptions{Dir: dir, Cache: cache, Entries: []runtime.Entry{{Name: "main", Path: "index.ts"}}}
		bundle, err := runtime.Build(b.Context(), opts)
		require.NoError(b, err)
		built := time.Since(began)
		rt, err := runtime.New(nil)
		require.NoError(b, err)
		defer rt.Close()
		began = time.Now()
		require.NoError(b, rt.Run(b.Context(), func(t *runtime.Task) error {
			_, err := rt.Load(t, bundle)
			return err
		}))
		return built + time.Since(began)
	}
	var cold, disk, warm time.Duration
	load(cache)
	for b.Loop() {
		cold += load("")
		runtime.ForgetPrograms()
		disk += load(cache)
		warm += load(cache)
	}
	b.ReportMetric(float64(cold.Milliseconds())/float64(b.N), "cold-ms/op")
	b.ReportMetric(float64(disk)/float64(cold), "disk/cold")
	b.ReportMetric(float64(warm)/float64(cold), "warm/cold")
}

// large writes 200 files, which have been there for a while.
func large(b *testing.B, dir string) {
	hour := time.Now().Add(-time.Hour)
	put := func(name, text string) {
		file := filepath.Join(dir, name)
		require.NoError(b, os.WriteFile(file, []byte(text), 0o600))
		require.NoError(b, os.Chtimes(file, hour, hour))
	}
	main := ""
	for i := range 200 {
		text := fmt.Sprintf(`import type { Options } from "./f%d";
export interface Options { name: string; size?: number; tags: readonly string[] }
type Result<T> = { ok: true; value: T } | { ok: false; error: Error };
// Thing%d has what classes of resources have.
export class Thing%d {
  static properties = { path: { type: "string", usage: "const" }, title: "string", items: { type: ["string"], default: [] } };
  declare path: string;
  declare items: string[];
`, (i+1)%200, i, i)
		for k := range 4 {
			text += fmt.Sprintf(`  async method%d(options: Options): Promise<Result<string>> {
    const found = this.items.filter((item: string) => item.startsWith(options.name));
    if (found.length === 0) return { ok: false, error: new Error(`+"`nothing begins with ${options.name}`"+`) };
    return { ok: true, value: found.join(", ") + %d };
  }
`, k, k)
		}
		put(fmt.Sprintf("f%d.ts", i), text+"}\n")
		main += fmt.Sprintf("export { Thing%d } from \"./f%d\";\n", i, i)
	}
	put("index.ts", main)
	require.NoError(b, os.Chtimes(dir, hour, hour))
}
