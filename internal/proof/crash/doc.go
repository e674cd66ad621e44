// Package crash has tests that kill real processes while they deploy. There is nothing in it to import.
//
// There are three kinds of processes, all of this test's program. A worker deploys, with the library and on the
// operating system's file system. A provider is what a cloud would be to it: it makes and deletes resources, is
// idempotent by key, and keeps a ledger of its own on disk, apart from Sexton's state. The tests kill workers,
// sometimes providers, start others in their place, and after each death and each deployment compare the
// state with the ledger:
//
//   - What has a resource is in the state, and not as destroyed (P1).
//   - Nothing is deleted that the model keeps, or that lives on and was there before (P2).
//   - Nothing is deleted before what stands on it (P3), or before its subscribers are told; nobody is told twice, but
//     for who was being told when the process died (P4).
//   - No key has two effects or two meanings, no two requests of one process have one key at a time, a deletion has the same
//     key each time (P5).
//   - Of an object that is recorded as destroyed nothing is heard again (P5, P9).
//   - When a deployment is complete, the state's objects have the provider's resources, one for one; when everything
//     is destroyed, the provider has nothing.
//
// The files:
//
//	provider_test.go   the provider, its ledger, and what it notices by itself
//	server_test.go     its process
//	classes_test.go    the package that is deployed
//	worker_test.go     the process that deploys
//	fs_test.go         the file system that ends it at a given operation
//	view_test.go       what a state says
//	lane_test.go       one environment after another, and what is checked of them
//	model_test.go      models
//	enumerate_test.go  every operation of small deployments, and pairs of them
//	dice_test.go       random models
//	random_test.go     random instants
//
// The long variants print the seed and figures:
//
//	go test ./internal/proof/crash -run EveryPoint -every-mode -timeout 0 -v
//	go test ./internal/proof/crash -run RandomKills -kills 10000 -seed 1 -timeout 0 -v
//	go test ./internal/proof/crash -run RandomKills -for 20m -timeout 0 -v
package crash
