package runtime_test

import (
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
