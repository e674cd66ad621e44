// Package disk has tests of whole deployments on disks that fail, fill up, lie and lose power. There is nothing in it
// to import.
//
// Scripts make things in an outside that survives crashes and keeps a ledger; the state lies on a simulated
// disk (internal/state/simdisk). Whatever happens to the disk, the next deployments have to bring the two
// together again: nothing that was made is forgotten, nothing is destroyed that is held or was
// destroyed before, and no error is silent.
//
//	world_test.go     the outside, and the package that is deployed
//	workload_test.go  what is deployed: by hand, and at random
//	verify_test.go    what must be true of a state that was found after a crash, and of what is made of it
//	crash_test.go     T3: power fails at any operation, and again in the recovery
//	fault_test.go     T4: any call fails, once or for ever
//	full_test.go      T4: disks that are full or read-only, simulated ones
//	system_test.go    T4: the same with the operating system's, on Linux as root
//	corrupt_test.go   T7: bits flip, files are cut, mixed up and lost
//
// The tests take seconds. The long variants go on with random deployments, faults and mutations, and print
// figures and seed:
//
//	go test ./internal/proof/disk -run 'T3|T4|T7' -for 20m -seed 1 -timeout 0 -v
package disk
