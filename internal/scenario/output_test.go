package scenario

import (
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

func TestOutput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOutput()
		var said []string
		say := func(text string) func() { return func() { said = append(said, text) } }
		full := false
		go func() {
			for i := range 3 {
				o.add(mostWaiting, say(strconv.Itoa(i)))
			}
			full = true
			o.add(0, say("last"))
			o.close()
		}()
		synctest.Wait()
		require.False(t, full, "what waits has a limit")
		require.Empty(t, said)
		o.drain()
		require.Equal(t, "0 1 2 last", strings.Join(said, " "))

		o = newOutput()
		o.add(2*mostWaiting, say("lost"))
		go o.add(1, say("lost"))
		synctest.Wait()
		o.discard()
		synctest.Wait() // nobody waits any more
		o.add(1, say("lost"))
		o.close()
		o.drain()
		require.NotContains(t, said, "lost")
	})
}
