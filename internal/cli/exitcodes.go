package cli

import (
	"context"
	"errors"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/gcext"
	"github.com/sextongc/sexton/internal/state"
	"github.com/sextongc/sexton/objectstore"
	"github.com/sextongc/sexton/runtime"
	"github.com/sextongc/sexton/serialize"
)

// The exit codes.
const (
	exitDone        = 0   // what was asked for is done
	exitFailed      = 1   // for another reason than those below: a disk that is full, a question answered with no
	exitUsage       = 2   // the command line, package.json or the model is wrong; nothing was changed
	exitChanges     = 3   // plan --detailed-exitcode: a deployment would change something; snapshot diff --exit-code: they differ
	exitScript      = 4   // a script does not compile, threw, or was refused something
	exitTests       = 5   // a test failed
	exitIncomplete  = 6   // something that should be destroyed is not, or could not be restored
	exitLimit       = 7   // something took too long, went too deep, became too large, or had too many rounds
	exitLocked      = 8   // another deployment of the environment runs
	exitCorrupt     = 9   // the state or a snapshot is damaged, or a newer version wrote it
	exitInterrupted = 130 // by a signal; what was begun is recorded
)

// Errors that only the command line has.
var (
	errChanges  = errors.New("a deployment would change something")
	errDiffer   = errors.New("the snapshots differ")
	errTests    = errors.New("a test failed")
	errSnapshot = errors.New("the snapshot is damaged")
	errRefused  = errors.New("not confirmed; nothing was changed")
)

// usageError is a mistake in what the program was given.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func usage(err error) error {
	if err == nil {
		return nil
	}
	return &usageError{err}
}

// exitCode says how the process ends after an error. Errors may be several, joined: then the one that an
// operator has to know first decides, in the order of this function. Damage and locks come before
// everything, because nothing was done. A state that cannot be written, or an interruption, explains
// whatever failed after it. A limit is
// more telling than the script error that carries it, and a script error more than what it left behind.
func exitCode(err error) int {
	var (
		usageErr *usageError
		model    *serialize.Error
		rounds   *gcext.RoundsError
		build    *runtime.BuildError
		script   *runtime.ScriptError
		value    *objectstore.ValueError
		timeout  *sexton.TimeoutError
		limit    *sexton.LimitError
	)
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, sexton.ErrCorrupt), errors.Is(err, state.ErrNewerVersion), errors.Is(err, errSnapshot):
		return exitCorrupt
	case errors.Is(err, sexton.ErrLocked):
		return exitLocked
	case errors.Is(err, sexton.ErrStateFailed): // whatever scripts made of it
		return exitFailed
	case errors.As(err, &timeout), errors.As(err, &limit):
		return exitLimit
	case errors.Is(err, sexton.ErrInterrupted), errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.As(err, &usageErr), errors.Is(err, sexton.ErrSecretsKey):
		return exitUsage
	case errors.Is(err, sexton.ErrBroken): // whatever the script did that could not restore the object
		return exitIncomplete
	case errors.Is(err, runtime.ErrTimeLimit), errors.Is(err, runtime.ErrCallStack), errors.As(err, &rounds):
		return exitLimit
	case errors.As(err, &script), errors.As(err, &build), errors.As(err, &value), errors.Is(err, runtime.ErrDeadlock):
		return exitScript
	case errors.Is(err, sexton.ErrIncomplete):
		return exitIncomplete
	case errors.As(err, &model) && model.Line > 0: // without a line it is about what scripts made
		return exitUsage
	case errors.As(err, &model):
		return exitScript
	case errors.Is(err, errTests):
		return exitTests
	case errors.Is(err, errChanges), errors.Is(err, errDiffer):
		return exitChanges
	default:
		return exitFailed
	}
}
