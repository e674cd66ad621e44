package sexton

import (
	"context"
	"errors"

	"github.com/sextongc/sexton/objectstore"
	"github.com/sextongc/sexton/runtime"
)

// scripting is the part of a deployment that the script side does: its inputs are plain data, and what it
// tells and asks goes through functions that a pipe can stand for.
type scripting struct {
	opts     Options  // Seed is that of this deployment
	settings Settings // with the package's
	model    *Model
	last     *replayed
	key      string // tells the environment's tokens from others'
	side     stateSide
	stuck    func(cause error) // told that a script does not stop; nil: it is waited for
	observe  func(Event)
	kept     *keptSession // nil: a session of its own
	confine  func() error // nil: the process is not confined
}

// scripted is what came of it.
type scripted struct {
	report *Report
	graph  *objectstore.Graph // nil: nothing was changed, or everything that was is in the journal
	given  uint64             // the last incarnation given out
}

// run loads the package and deploys. soft: start nothing new. hard: scripts are interrupted.
func (d *scripting) run(soft, hard context.Context) (*scripted, error) {
	journal := newStateJournal(hard, d.side, d.last)
	if d.opts.Clock != nil {
		journal.now, journal.began = d.opts.Clock.Now, d.opts.Clock.Now()
	}
	s, err := d.kept.open(&SessionOptions{Options: d.opts, side: d.side, journal: journal, lastEffect: d.last.lastEffect, bundled: d.confine, stuck: d.stuck})
	if err != nil {
		return &scripted{}, err
	}
	journal.snapshot, journal.store = func() (*objectstore.Graph, error) { return s.snapshot(hard) }, s.Store
	result := &scripted{}
	err = s.Run(hard, func(t *runtime.Task) (err error) {
		if s.modules == nil {
			if err := s.Load(hard, t); err != nil {
				return err
			}
		}
		result.report, result.graph, err = s.Deploy(soft, t, &Deployment{
			Model: d.model.Data, File: d.model.File, Last: d.last.graph, Settings: d.opts.Settings, Key: d.key, Stateful: true,
			Journal: journal, Incarnation: journal.Incarnation, Confirm: d.opts.Confirm,
			Observe: func(e Event) {
				if (e.Kind == "destroyed" || e.Kind == "failed") && e.Subscriber == nil {
					journal.took[e.Object.ID] = e.Duration
				}
				d.observe(e)
			},
			interrupted: d.last.effects, recovered: journal.recovered,
		})
		return err
	})
	err = errors.Join(err, d.kept.close(s))
	result.given = journal.given
	return result, err
}
