//go:build race

package proof

func init() { raceDetector = true }
