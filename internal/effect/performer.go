package effect

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync"

	jsonx "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// defaultMaxOutput is the largest standard output, and standard error, of one exec in bytes.
const defaultMaxOutput = 16 << 20

// PerformerOptions configure a Performer. Nil and zero values are valid.
type PerformerOptions struct {
	Dir         string       // package directory, the base of relative paths; empty: the current directory
	Permissions *Permissions // nil grants nothing
	// Private are files and directories that scripts never get at, whatever is granted. They need not exist yet.
	Private []string
	// Audit hears of each permission that is exercised or refused, one at a time; nil: nobody does.
	Audit     func(*Use)
	MaxOutput int // of one exec per stream, and of one fetch, in bytes; 0: 16 MiB
	// MaxProcesses bounds the programs that run at one time, those of scripts that are detached too: one more is refused.
	// MaxFiles bounds the operations on files that are under way at one time: further ones wait. 0: any number.
	MaxProcesses, MaxFiles int
	// Operations are those of the embedding program, besides the Performer's own. They need no
	// permission, and all of them are effects.
	Operations map[string]Operation
}

// Operation performs one request. The result is what encoding/json encodes; an error that is no *Error
// is told by its message.
type Operation func(ctx context.Context, req *Request) (result any, err error)

// Performer is the Broker that carries effects out, after it has checked that they are permitted. It
// records nothing. It is safe for concurrent use.
//
// Operations, with their arguments and results (? may be absent; times are milliseconds):
//
//	process.exec   command, args?, cwd?, env?, input?, inputEncoding?, timeout?, encoding? → stdout, stderr, exitCode, signal
//	process.spawn  command, args?, cwd?, env?, detached?, stdout?, stderr? (files)         → pid, startTime
//	process.kill   pid, startTime, signal?, timeout?                                       → killed
//	process.alive  pid, startTime                                                          → alive
//	process.env    name                                                                    → value | null
//	fs.readFile    path, encoding?                                                         → string
//	fs.writeFile   path, data, encoding?, append?, exclusive?                              → null
//	fs.mkdir       path, recursive?                                                        → null
//	fs.rm          path, recursive?, force?                                                → null
//	fs.stat        path                                                                    → type, size, mtimeMs
//	fs.readdir     path                                                                    → [{name, type}]
//	fs.rename      from, to                                                                → null
//	net.fetch      url, method?, headers?, body?, bodyEncoding?, redirect?                 → url, redirected, status, statusText, headers, body (base64)
//	net.get        the same, for GET and HEAD
//
// An encoding is "utf8" (the default) or "base64".
type Performer struct {
	Dir       string // package directory, absolute
	policy    *policy
	ledger    Ledger
	audit     func(*Use)
	auditing  sync.Mutex // held while audit runs
	maxOutput int
	transport *http.Transport
	resolver  *net.Resolver // nil: the system's
	proxy     func(*http.Request) (*url.URL, error)
	further   map[string]Operation
	files     chan struct{} // a slot for each operation on files; nil: any number

	open     context.Context // done when the Performer closes
	end      context.CancelFunc
	running  sync.WaitGroup      // requests
	mu       sync.Mutex          // guards the following, and that no request starts after end
	children map[*child]struct{} // running, not detached
	programs int                 // running
	most     int                 // of them; 0: any number
}

// NewPerformer returns a Performer. Its Close ends the processes that scripts left running.
func NewPerformer(opts *PerformerOptions) (*Performer, error) {
	if opts == nil {
		opts = new(PerformerOptions)
	}
	permissions := opts.Permissions
	if permissions == nil {
		permissions = new(Permissions)
	}
	dir, err := filepath.Abs(opts.Dir)
	if err != nil {
		return nil, fmt.Errorf("package directory: %w", err)
	}
	if dir, err = resolve(dir, ".", true); err != nil {
		return nil, fmt.Errorf("package directory: %w", err)
	}
	pol, err := newPolicy(dir, permissions)
	if err != nil {
		return nil, err
	}
	for _, private := range opts.Private {
		if private, err = resolve(dir, private, true); err != nil {
			return nil, err
		}
		pol.private = append(pol.private, private)
	}
	p := &Performer{
		Dir: dir, policy: pol, audit: opts.Audit, maxOutput: opts.MaxOutput, transport: newTransport(), proxy: http.ProxyFromEnvironment,
		further: opts.Operations, children: map[*child]struct{}{}, most: opts.MaxProcesses,
	}
	if opts.MaxFiles > 0 {
		p.files = make(chan struct{}, opts.MaxFiles)
	}
	p.open, p.end = context.WithCancel(context.Background())
	if p.maxOutput == 0 {
		p.maxOutput = defaultMaxOutput
	}
	return p, nil
}

// call is a request under way: a Performer whose permissions know on whose behalf they are asked.
type call struct {
	*Performer
	policy *policy
}

func (p *Performer) call(req *Request) *call {
	pol := *p.policy
	pol.note = func(kind, asked, grant, needed string) {
		u := &Use{Op: req.Op, Object: req.Object, Kind: kind, Asked: clean(asked), Grant: grant, Needed: clean(needed)}
		p.ledger.Note(u)
		if p.audit != nil {
			p.auditing.Lock()
			defer p.auditing.Unlock()
			p.audit(u)
		}
	}
	return &call{p, &pol}
}

// Audit returns what became of the permissions so far.
func (p *Performer) Audit() *Audit { return p.ledger.Audit() }

// operation is one entry of the table of what a Performer can do.
type operation struct {
	effect bool // changes the outside
	do     func(p *call, ctx context.Context, args json.RawMessage) (any, error)
}

var operations = map[string]operation{
	"process.exec":  {true, with((*call).exec)},
	"process.spawn": {true, with((*call).spawn)},
	"process.kill":  {true, with((*call).kill)},
	"process.alive": {false, with((*call).alive)},
	"process.env":   {false, with((*call).variable)},
	"fs.readFile":   {false, with((*call).readFile)},
	"fs.writeFile":  {true, with((*call).writeFile)},
	"fs.mkdir":      {true, with((*call).mkdir)},
	"fs.rm":         {true, with((*call).rm)},
	"fs.stat":       {false, with((*call).stat)},
	"fs.readdir":    {false, with((*call).readdir)},
	"fs.rename":     {true, with((*call).rename)},
	"net.get":       {false, with((*call).get)},
	"net.fetch":     {true, with((*call).fetch)},
}

// IsEffect reports whether op changes the outside world, so that it has to be recorded. Operations
// that are unknown here do.
func IsEffect(op string) bool {
	o, known := operations[op]
	return !known || o.effect
}

// Do performs one request. When ctx is done, an exec'd program is killed.
func (p *Performer) Do(ctx context.Context, req *Request) *Outcome {
	result, err := p.do(ctx, req)
	if err == nil {
		var data []byte
		if data, err = jsonx.Marshal(result); err == nil {
			return &Outcome{Result: data}
		}
	}
	return &Outcome{Error: asError(err)}
}

func (p *Performer) do(ctx context.Context, req *Request) (any, error) {
	op, known := operations[req.Op]
	further := p.further[req.Op]
	if !known && further == nil {
		return nil, typeError("unknown operation %q", req.Op)
	}
	if ctx.Err() != nil {
		return nil, cancelled(ctx, req.Op)
	}
	if !p.begin() {
		return nil, errClosed
	}
	defer p.running.Done()
	if !known {
		return p.perform(ctx, further, req)
	}
	if p.files != nil && strings.HasPrefix(req.Op, "fs.") {
		select {
		case p.files <- struct{}{}:
			defer func() { <-p.files }()
		case <-ctx.Done():
			return nil, cancelled(ctx, req.Op)
		case <-p.open.Done():
			return nil, errClosed
		}
	}
	return op.do(p.call(req), ctx, req.Args)
}

// program counts a program that is about to start. ended has to be called when it has ended, or did not start.
func (p *Performer) program() (ended func(), err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.most > 0 && p.programs >= p.most {
		return nil, limitError("processes", p.most, "more programs run")
	}
	p.programs++
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.programs--
	}, nil
}

// perform has an operation of the embedding program end when the Performer closes. Its result is
// encoded here, as encoding/json does, so that it is free to have whatever Go programs give that.
func (p *Performer) perform(ctx context.Context, do Operation, req *Request) (any, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(p.open, cancel)()
	result, err := do(ctx, req)
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(result)
	return jsontext.Value(data), err
}

// with decodes the arguments of an operation: strictly, because they come from the script side.
func with[Args any](do func(*call, context.Context, *Args) (any, error)) func(*call, context.Context, json.RawMessage) (any, error) {
	return func(p *call, ctx context.Context, data json.RawMessage) (any, error) {
		args := new(Args)
		if err := jsonx.Unmarshal(data, args, jsonx.RejectUnknownMembers(true)); err != nil {
			return nil, typeError("invalid arguments: %v", plainJSONError(err))
		}
		return do(p, ctx, args)
	}
}

// begin registers a running request, unless the Performer is closed.
func (p *Performer) begin() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open.Err() != nil {
		return false
	}
	p.running.Add(1)
	return true
}

// Close kills the programs that exec still runs, ends the spawned processes that are not detached,
// with what they started in their process group, and returns when all are gone. What is asked for
// afterwards fails. Goroutines that wait for the end of detached processes stay until that.
func (p *Performer) Close() error {
	p.mu.Lock()
	p.end()
	p.mu.Unlock()
	p.running.Wait()
	p.mu.Lock()
	children := make([]*child, 0, len(p.children))
	for c := range p.children {
		children = append(children, c)
	}
	p.mu.Unlock()
	var wait sync.WaitGroup
	for _, c := range children {
		wait.Go(c.end)
	}
	wait.Wait()
	p.transport.CloseIdleConnections()
	return nil
}
