package sexton

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/sextongc/sexton/internal/pipe"
	"github.com/sextongc/sexton/internal/sandbox"
	"github.com/sextongc/sexton/objectstore"
	"github.com/sextongc/sexton/serialize"
)

// job is what all jobs of workers have in common.
func (o *Options) job(s Settings) *jobData {
	return &jobData{
		Dir: o.Dir, Settings: o.Settings, Seed: o.Seed, Confirms: o.Confirm != nil,
		Limits: sandbox.Limits{Memory: 2 * s.Limits.Memory, CPU: s.Limits.CPU, Files: s.Limits.Files},
	}
}

// isolated does what run does in a process of its own.
func (d *scripting) isolated(soft, hard context.Context) (*scripted, error) {
	job := d.opts.job(d.settings)
	job.File, job.Key = d.model.File, d.key
	body, err := encodeReplayed(d.last, job)
	if err != nil {
		return &scripted{}, err
	}
	g := newGuard(d.side, d.key, d.last)
	p := &workerProcess{opts: &d.opts, broker: g, guard: g, observe: d.observe, limits: d.settings.Limits}
	answer, known, err := p.do(soft, hard, &pipe.Message{Kind: msgDeploy, Head: jsonOf(job), Body: append([][]byte{d.model.Data}, body...)})
	if answer == nil {
		return &scripted{}, err
	}
	var data resultData
	if err := json.Unmarshal(answer.Head, &data); err != nil {
		return &scripted{}, p.distrust(err)
	}
	result := &scripted{report: data.Report.report(), given: g.given(data.Given)}
	if data.Graph && len(answer.Body) == 1 {
		var graphErr error
		if result.graph, graphErr = serialize.DecodeSnapshot(answer.Body[0]); graphErr != nil {
			return &scripted{}, p.distrust(graphErr)
		}
		if hasSealed(answer.Body[0]) {
			return &scripted{}, p.distrust(errors.New("it sent what is sealed, and has no key"))
		}
	}
	return result, errors.Join(decodeError(data.Error, known), err)
}

// planIsolated does what Plan does in a process of its own.
func (e *Environment) planIsolated(stop *stopping, model *Model, last *objectstore.Graph) (*Plan, error) {
	performer, err := e.opts.performer(e.pkg)
	if err != nil {
		return nil, err
	}
	job := e.opts.job(e.opts.settings(e.pkg))
	job.File = model.File
	body, err := encodeReplayed(&replayed{graph: last}, job)
	if err != nil {
		return nil, errors.Join(err, performer.Close())
	}
	p := &workerProcess{opts: &e.opts, broker: performer, limits: e.opts.settings(e.pkg).Limits}
	answer, known, err := p.do(stop.soft, stop.hard, &pipe.Message{Kind: msgPlan, Head: jsonOf(job), Body: append([][]byte{model.Data}, body...)})
	err = errors.Join(err, performer.Close())
	if answer == nil {
		return nil, err
	}
	var data planData
	if err := json.Unmarshal(answer.Head, &data); err != nil {
		return nil, p.distrust(err)
	}
	return data.Plan, errors.Join(decodeError(data.Error, known), err)
}

// runIsolated does what Run does in a process of its own.
func runIsolated(stop *stopping, opts *Options, pkg *Package, script *Script, observe func(Event)) (*Report, error) {
	performer, err := opts.performer(pkg)
	if err != nil {
		return nil, err
	}
	job := opts.job(opts.settings(pkg))
	job.Script = script
	p := &workerProcess{opts: opts, broker: performer, observe: observe, limits: opts.settings(pkg).Limits}
	answer, known, err := p.do(stop.soft, stop.hard, &pipe.Message{Kind: msgRun, Head: jsonOf(job)})
	err = errors.Join(err, performer.Close())
	if answer == nil {
		return nil, err
	}
	var data resultData
	if err := json.Unmarshal(answer.Head, &data); err != nil {
		return nil, p.distrust(err)
	}
	report := data.Report.report()
	if report != nil {
		report.Audit = performer.Audit()
	}
	return report, errors.Join(decodeError(data.Error, known), err)
}

// settings are those of the options, then those of the package, then the defaults.
func (o *Options) settings(p *Package) Settings {
	return o.Settings.Or(p.Settings).Or(defaultSettings)
}
