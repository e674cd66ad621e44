package cli

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/internal/state"
)

func (a *app) stateUnlockCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "unlock",
		Short: "says who holds the lock, and removes the trace of one who does not",
		Long: `Unlock says who holds the lock of the environment. Locks are the operating system's and end with their
processes, so there is none to break: the next deployment takes over from a process that has ended
without being told. A lock that is held is left alone, whatever is said; end its process instead.

Of one that is no longer held, the name of the last holder is removed. If that was a process of another
machine, which a network file system may not know of here, that needs --yes.`,
		Example: examples(
			"sexton deploy && sexton state unlock",
			"sexton state unlock --yes --json",
		),
		Args: cobra.NoArgs,
		RunE: a.verb(func(*cobra.Command, []string) error {
			e, err := a.open(a.options())
			if err != nil {
				return err
			}
			h, err := e.Lock(func(h *sexton.LockHolder) bool { return h.Here || a.flags.yes })
			if errors.Is(err, sexton.ErrNoState) {
				h = &sexton.LockHolder{}
			} else if err != nil {
				return err
			}
			if a.flags.json {
				a.emit(&event{Event: "lock", Lock: &lockJSON{h.PID, h.Host, h.Since, h.Held, h.Here, h.Alive}})
			}
			who := fmt.Sprintf("pid %d on %s, since %s", h.PID, h.Host, h.Since.Format(time.RFC3339))
			switch {
			case h.Held:
				hint := "it ends with the process that holds it; wait, or end that process"
				if h.Here && !h.Alive {
					hint = "it was taken by another process than the one that is named; it ends with that process"
				} else if h.PID > 0 && !h.Here {
					hint = "it ends with the process that holds it; wait, or end that process on its machine"
				}
				return &hintedError{&state.LockedError{Dir: a.shortPath(e.StateDir()), Owner: h.Owner}, hint}
			case h.PID == 0:
				a.unlocked(e, "not locked")
			case !h.Here && !a.flags.yes:
				return usage(fmt.Errorf("the last to hold the lock was %s; nobody does as far as this machine can tell, but not all "+
					"network file systems tell: nothing was changed. If that process has ended, say --yes", who))
			case h.Alive:
				a.unlocked(e, "not locked; the last one was "+who+", which does not hold it any more")
			default:
				a.unlocked(e, "not locked; the last one was "+who+", which has ended; the next deployment needs nothing else")
			}
			return nil
		}),
	}
}

func (a *app) unlocked(e *sexton.Environment, text string) {
	if !a.flags.json {
		a.say("%s: %s", a.shortPath(e.StateDir()), text)
	}
}

// lockJSON is a sexton.LockHolder as --json prints it.
type lockJSON struct {
	PID   int       `json:"pid,omitempty"`
	Host  string    `json:"host,omitempty"`
	Since time.Time `json:"since,omitzero"`
	Held  bool      `json:"held"`
	Here  bool      `json:"here"`
	Alive bool      `json:"alive"`
}
