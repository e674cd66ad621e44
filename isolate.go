package sexton

import (
	"context"
	"errors"

	"github.com/sextongc/sexton/internal/pipe"
	"github.com/sextongc/sexton/internal/sandbox"
	"github.com/sextongc/sexton/objectstore"
	"github.com/sextongc/sexton/serialize"
)

// reserved is how much address space a worker may have in bytes besides twice its memory: Go reserves more than it uses.
const reserved = 256 << 20

// job is what all jobs of workers have in common.
func (o *Options) job(s Settings) *jobData {
	return &jobData{
		Dir: o.Dir, Cache: o.Cache, Settings: o.Settings, Seed: o.Seed, Confirms: o.Confirm != nil,
		Limits: sandbox.Limits{Memory: 2*s.Limits.Memory + reserved, CPU: s.Limits.CPU, Files: s.Limits.Files},
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
	var data resultData
	answer, known, err := p.do(soft, hard, &pipe.Message{Kind: msgDeploy, Head: jsonOf(job), Body: append([][]byte{d.model.Data}, body...)}, &data)
	if answer == nil {
		return &scripted{}, err
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
	job := e.opts.job(e.opts.settings(e.pkg))
	job.File = model.File
	body, err := encodeReplayed(&replayed{graph: last}, job)
	if err != nil {
		return nil, err
	}
	var data planData
	p := &workerProcess{opts: &e.opts}
	known, _, err := p.unrecorded(stop, e.pkg, &pipe.Message{Kind: msgPlan, Head: jsonOf(job), Body: append([][]byte{model.Data}, body...)}, &data)
	if known == nil {
		return nil, err
	}
	return data.Plan, errors.Join(decodeError(data.Error, known), err)
}

// runIsolated does what Run does in a process of its own.
func runIsolated(stop *stopping, opts *Options, pkg *Package, script *Script, observe func(Event)) (*Report, error) {
	job := opts.job(opts.settings(pkg))
	job.Script, job.Converses = script, script.With != nil
	var data resultData
	p := &workerProcess{opts: opts, observe: observe, talk: script.With}
	known, audit, err := p.unrecorded(stop, pkg, &pipe.Message{Kind: msgRun, Head: jsonOf(job)}, &data)
	if known == nil {
		return nil, err
	}
	report := data.Report.report()
	if report != nil {
		report.Audit = audit
	}
	return report, errors.Join(decodeError(data.Error, known), err)
}

// unrecorded has the process do a job whose effects nobody records, and reads the answer into data. known is that of
// do, nil without an answer.
func (p *workerProcess) unrecorded(stop *stopping, pkg *Package, m *pipe.Message, data any) (known map[string]error, audit *Audit, err error) {
	performer, err := p.opts.performer(pkg)
	if err != nil {
		return nil, nil, err
	}
	p.broker, p.limits = performer, p.opts.settings(pkg).Limits
	_, known, err = p.do(stop.soft, stop.hard, m, data)
	err = errors.Join(err, performer.Close())
	return known, performer.Audit(), err
}
