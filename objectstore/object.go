package objectstore

import (
	"fmt"

	"github.com/dop251/goja"

	"github.com/sextongc/sexton/internal/vmheap"
)

// State is where a managed object is in its life (gc 1.2).
type State uint8

// The states of a managed object.
const (
	Live      State = iota
	Doomed          // the plan that contains it is made (gc 5.3)
	Destroyed       // its destruction is complete
)

func (s State) String() string { return [...]string{"live", "doomed", "destroyed"}[s] }

// Object is the record of one managed object. The record does not keep the JavaScript object alive
// once that is destroyed. Records belong to one Store and, like it, to one goroutine at a time.
type Object struct {
	ID          string
	Name        string // $name; empty if none was given
	Class       *Class // nil if the class is missing (Broken)
	Incarnation uint64
	Protect     bool
	CreatedAt   string // "app.ts:22:11" of the `new`, if the store traces creations

	// What collections write down about a doomed object.
	Notified  bool   // its subscribers have been told
	Failure   string // why the last destroy() failed; empty if not tried, or blocked
	BlockedBy string // id of the object whose failure holds this one

	store       *Store
	ref         *vmheap.Ref
	owner       *Object
	removals    int // how often subs lost members
	state       State
	seq         int
	subs        []*Subscribed
	ended       int                             // how many of subs are over and still in it
	checked     int                             // Store.ended when subs was last searched for subscribers that are gone
	index       map[subscriptionKey]*Subscribed // of subs, if there are many
	stored      *Entry                          // what was last loaded or saved
	storedAt    int                             // seq of the last object that stored may name
	lacking     map[string]bool                 // properties that stored has not, because they could not be saved
	broken      string                          // why it could not be loaded (gc 5.4)
	provisional bool                            // made by a constructor while loading (gc 6.7)
	inline      bool                            // made of a plain object in its owner's properties
	completed   map[*Class]bool                 // classes whose destroy() is done
	run         *destroyRun
}

// Subscribed is one destruction dependency: Subscriber wants to be told before the publisher goes.
type Subscribed struct {
	Subscriber *Object
	Handler    string // empty: order only
	Count      int    // how often subscribed; at least 1
	At         string // "app.ts:22:11" of the first subscription, if known
	Told       bool   // by the collection that dooms the publisher
	made       int    // subscriptions that constructors made while loading (gc 6.4)
	over       bool   // taken back as often as made
}

// String names the object for messages: "Network net-1".
func (o *Object) String() string {
	if o.Class == nil {
		return o.stored.Type + " " + o.ID
	}
	return o.Class.Short() + " " + o.ID
}

// Type is the qualified name of the object's class.
func (o *Object) Type() string {
	if o.Class == nil {
		return o.stored.Type
	}
	return o.Class.Name
}

// State returns the object's state.
func (o *Object) State() State { return o.state }

// Owner returns the object's owner, nil for the root.
func (o *Object) Owner() *Object { return o.owner }

// Broken returns why the object could not be loaded; empty for all others (gc 5.4).
func (o *Object) Broken() string { return o.broken }

// Held reports whether an earlier attempt at destroying o failed or was not finished (gc 5.6, 5.8).
func (o *Object) Held() bool { return o.state == Doomed }

// Value returns the JavaScript object, undefined if it is destroyed and gone.
func (o *Object) Value() goja.Value {
	if v := o.ref.Object(); v != nil {
		return v
	}
	return goja.Undefined()
}

// Ref returns the identity under which the heap knows the object.
func (o *Object) Ref() *vmheap.Ref { return o.ref }

// After reports whether o was created after other.
func (o *Object) After(other *Object) bool { return o.seq > other.seq }

// Find returns the record of a managed object, nil if v is none.
func (g *Registry) Find(v goja.Value) *Object {
	x, ok := v.(*goja.Object)
	if !ok {
		return nil
	}
	ref := g.heap.Lookup(x)
	if ref == nil {
		return nil
	}
	o, _ := ref.Data.(*Object)
	return o
}

// DestroyedError is what scripts see as ObjectDestroyedError.
func (g *Registry) DestroyedError(o *Object, format string, args ...any) goja.Value {
	return g.lib.must("destroyedError", g.vm.ToValue(o.String()+" is destroyed: "+fmt.Sprintf(format, args...)))
}

func (g *Registry) destroyedMessage(v, key goja.Value) goja.Value {
	name := "object"
	if o := g.Find(v); o != nil {
		name = o.String()
	}
	return g.vm.ToValue(fmt.Sprintf("%s is destroyed: %s cannot be used any more", name, key.String()))
}
