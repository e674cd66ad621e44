//go:build race

package sexton_test

func init() { raceDetector = true }
