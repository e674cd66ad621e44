package runtime_test

import (
	"github.com/dop251/goja"

	"github.com/sextongc/sexton/internal/vmheap"
)

// tracked are objects that the collector watches.
type tracked struct {
	heap *vmheap.Heap
	refs []*vmheap.Ref
}

func heapRefs(heap *vmheap.Heap) *tracked { return &tracked{heap: heap} }

func (t *tracked) track(o *goja.Object) { t.refs = append(t.refs, t.heap.Track(o, nil)) }

// find returns how many of them are unreachable.
func (t *tracked) find() int { return len(t.heap.Find(t.refs, nil)) }
