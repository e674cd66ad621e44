package hostile

import (
	"errors"
	"strings"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/gcext"
	"github.com/sextongc/sexton/runtime"
	"github.com/sextongc/sexton/serialize"
)

// outcome says how a deployment ended: "ok", "time", "limit memory", "depth", "deadlock", "died", "document", "build",
// "corrupt", "rounds", "incomplete", "script TypeError" or "error".
func outcome(err error) string {
	var (
		limit    *sexton.LimitError
		timeout  *sexton.TimeoutError
		died     *sexton.WorkerError
		document *serialize.Error
		build    *runtime.BuildError
		rounds   *gcext.RoundsError
		script   *runtime.ScriptError
	)
	switch {
	case err == nil:
		return "ok"
	case errors.Is(err, sexton.ErrCorrupt):
		return "corrupt"
	case errors.As(err, &limit):
		return "limit " + limit.Limit
	case errors.As(err, &timeout), errors.Is(err, runtime.ErrTimeLimit):
		return "time"
	case errors.Is(err, runtime.ErrCallStack):
		return "depth"
	case errors.Is(err, runtime.ErrDeadlock):
		return "deadlock"
	case errors.As(err, &died):
		return "died"
	case errors.As(err, &document):
		return "document"
	case errors.As(err, &build):
		return "build"
	case errors.As(err, &rounds):
		return "rounds"
	case errors.Is(err, sexton.ErrIncomplete):
		return "incomplete"
	case errors.As(err, &script):
		return "script " + script.Name
	}
	return "error " + err.Error()
}

// expected reports whether one of the wanted outcomes is got: the first words of it.
func expected(wanted []string, got string) bool {
	for _, w := range wanted {
		if got == w || strings.HasPrefix(got, w+" ") {
			return true
		}
		// "error TEXT": an error that says this.
		if text, ok := strings.CutPrefix(w, "error "); ok && strings.HasPrefix(got, "error ") && strings.Contains(got, text) {
			return true
		}
	}
	return false
}
