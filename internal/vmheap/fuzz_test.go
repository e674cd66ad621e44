package vmheap

import (
	"math/rand"
	"testing"
)

// tape is dice whose throws stand on it, a byte each. When it has come to its end, all throws are 0.
type tape []byte

func (t *tape) Intn(n int) int {
	if len(*t) == 0 {
		return 0
	}
	b := (*t)[0]
	*t = (*t)[1:]
	return int(b) % n
}

// What a program does with objects, whatever it is, the walker finds dead what the model of it says.
func FuzzWalker(f *testing.F) {
	for seed := range int64(8) {
		data := make([]byte, 400)
		rand.New(rand.NewSource(seed)).Read(data)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		program := tape(data)
		modelRun(t, &program, 1_000, func() bool { return len(program) > 0 })
	})
}
