// Package sexton embeds Sexton, an object runtime for resource lifecycles, in a Go program.
//
// Application authors write JavaScript or TypeScript classes that own real resources. Objects of
// those classes form an environment: a graph with owners, references and destruction dependencies. A
// deployment changes the graph; what leaves it is found by a collector, its subscribers are notified,
// and its destroy() runs in the right order, once on record.
//
//	Environment   one graph with its state directory: Open, Deploy, Plan, Destroy, Snapshot,
//	              and to look into it State, Check, History
//	Session       one JavaScript runtime with a package loaded into it; what test runners build on
//	Options       where things are, what scripts may touch, how collections behave
//	Report        what a deployment did
//
// An Environment is safe for concurrent use in so far as its state directory admits one deployment at a
// time, and refuses a second one (ErrLocked). A Session belongs to one goroutine.
package sexton
