// Package proof has tests of the collector as a whole: deployments of random, of all small, and of very
// large graphs, executed through JavaScript and compared with what docs/semantics.md says word by word. There is
// nothing in it to import.
//
// What is proven, and how:
//
//	naive_test.go        the oracle: a collector of sets and brute force
//	random_test.go       1,900 random environments, most of them deployed up to three times
//	exhaustive_test.go   every graph of three objects
//	model_test.go        environments with state and outside, deployed again and again, through crashes
//	promises_test.go     what holds over all of that
//	determinism_test.go  one busy deployment, again and again, under every setting of Go's collector
//	scale_test.go        chains, rings and stars of 100,000 objects
//	trouble_test.go      many objects that fail, block, unsubscribe, resurrect or make others at once
//	state_test.go        large graphs with a journal
//	bench_test.go        collections, in units of Go's own
//
// With -short there are fewer graphs, and smaller ones. The long variants:
//
//	go test ./internal/proof -run Random -rapid.checks 1000000 -timeout 0
//	go test ./internal/proof -run Exhaustive -objects 4 -timeout 0 -v
//	go test ./internal/proof -run Exhaustive -objects 4 -one-in 100 -timeout 0 -v    # a sample of that
//	go test ./internal/proof -run Exhaustive -objects 4 -for 20m -seed 1 -timeout 0 -v    # and a drawn one
//	go test ./internal/proof -run Model -for 20m -seed 1 -timeout 0 -v
//	go test ./internal/proof -run Determinism -repetitions 1000 -timeout 0
//	go test ./internal/proof -run '^$' -bench . -benchtime 10x
package proof
