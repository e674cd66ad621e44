// Package vmheap finds out which JavaScript objects nothing reaches any more, and
// hands them over intact.
package vmheap
