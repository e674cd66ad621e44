package crash

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// A provider is what a cloud is to Sexton: it makes and deletes resources and keeps its own record of that, of which
// Sexton knows nothing. It is idempotent by key: a request with a key that it has answered gets the
// same answer and has no second effect. What no client may ever do it records as a violation.

// request is one call of the provider. What stands below Run is set by the provider.
type request struct {
	Account  string   `json:"account,omitempty"`
	Op       string   `json:"op"`                 // "create", "delete", "size", "note"
	Key      string   `json:"key"`                // makes it idempotent
	Token    string   `json:"token"`              // of the object that asks
	Object   string   `json:"object"`             // its id
	Resource string   `json:"resource,omitempty"` // to delete or change
	On       []string `json:"on,omitempty"`       // create: resources that may not go before this one
	Size     int      `json:"size,omitempty"`     // size: the new one
	About    string   `json:"about,omitempty"`    // note: the token of the object that is going
	Refuse   int      `json:"refuse,omitempty"`   // how often it is to be refused before it is granted
	Run      int      `json:"run"`                // of the client, counted up

	Answer  string `json:"answer,omitempty"` // create: the resource
	Refused bool   `json:"refused,omitempty"`
	Repeat  bool   `json:"repeat,omitempty"` // the key had been answered
	Stale   bool   `json:"stale,omitempty"`  // of a run that was over: it was on its way when its client was killed
	Begin   int    `json:"begin"`            // places in the order of all that arrived and was answered
	End     int    `json:"end,omitempty"`
}

// resource is what a create made.
type resource struct {
	Name     string
	Token    string
	Object   string
	On       []string
	Size     int
	Key      string // of the delete that began first
	Deleting int    // when that arrived
	Deleted  bool
}

// account is one client's share of a provider: the state that follows from its ledger. provider guards it.
type account struct {
	file       *os.File
	Clock      int
	LastRun    int
	Requests   []*request // that have arrived, in order
	Resources  map[string]*resource
	Violations []string

	running  map[string]*request // by key
	answered map[string]*request // by key
	refused  map[string]int      // by key
	creates  map[string]string   // token to key
}

func newAccount() *account {
	return &account{
		Resources: map[string]*resource{}, running: map[string]*request{}, answered: map[string]*request{},
		refused: map[string]int{}, creates: map[string]string{},
	}
}

func (a *account) violation(r *request, format string, args ...any) {
	a.Violations = append(a.Violations, fmt.Sprintf("run %d, %s %s: ", r.Run, r.Op, r.Object)+fmt.Sprintf(format, args...))
}

// begin takes a request in. It has no effect yet.
func (a *account) begin(r *request) {
	a.Clock++
	r.Begin = a.Clock
	r.Stale = r.Run < a.LastRun
	a.LastRun = max(a.LastRun, r.Run)
	a.Requests = append(a.Requests, r)
	if other := a.running[r.Key]; other != nil && other.Run == r.Run {
		a.violation(r, "key %s is under way already", r.Key)
	}
	if before := a.answered[r.Key]; before != nil {
		r.Repeat = true
		if before.Op != r.Op || before.Token != r.Token || before.Resource != r.Resource || before.About != r.About || before.Size != r.Size {
			a.violation(r, "key %s stood for something else", r.Key)
		}
	}
	if r.Stale {
		return
	}
	switch r.Op {
	case "create":
		if key, ok := a.creates[r.Token]; ok && key != r.Key {
			a.violation(r, "a second resource, by another key")
		}
		a.creates[r.Token] = r.Key
	case "delete":
		a.beginDelete(r)
	case "size":
		if x := a.Resources[r.Resource]; x == nil || x.Deleting > 0 {
			a.violation(r, "%s is deleted or was never made", r.Resource)
		}
	case "note":
		for _, x := range a.Resources {
			if x.Token == r.About && x.Deleting > 0 && !r.Repeat {
				a.violation(r, "told of %s after its deletion began", x.Object) // P4
			}
		}
	}
}

func (a *account) beginDelete(r *request) {
	x := a.Resources[r.Resource]
	if x == nil {
		a.violation(r, "%s was never made", r.Resource)
		return
	}
	if x.Token != r.Token {
		a.violation(r, "%s is of another object, %s", x.Name, x.Object)
	}
	if x.Key != "" && x.Key != r.Key {
		a.violation(r, "%s by another key than before", x.Name) // P5
	}
	for _, y := range a.Resources { // P3
		for _, on := range y.On {
			if on == x.Name && !y.Deleted {
				a.violation(r, "%s, which stands on it, is not deleted yet", y.Object)
			}
		}
	}
	for _, on := range x.On {
		if y := a.Resources[on]; y.Deleting > 0 {
			a.violation(r, "%s, on which it stands, went first", y.Object)
		}
	}
	if x.Deleting == 0 {
		x.Key, x.Deleting = r.Key, r.Begin
	}
}

// end carries a request out, if it is the first of its key, and answers it.
func (a *account) end(r *request) {
	a.Clock++
	r.End = a.Clock
	if before := a.answered[r.Key]; before != nil {
		r.Repeat, r.Answer = true, before.Answer
		return
	}
	if a.refused[r.Key] < r.Refuse {
		a.refused[r.Key]++
		r.Refused = true
		return
	}
	a.answered[r.Key] = r
	switch r.Op {
	case "create":
		r.Answer = fmt.Sprintf("r%d", len(a.Resources)+1)
		a.Resources[r.Answer] = &resource{Name: r.Answer, Token: r.Token, Object: r.Object, On: r.On}
	case "delete":
		if x := a.Resources[r.Resource]; x != nil {
			x.Deleted = true
		}
	case "size":
		if x := a.Resources[r.Resource]; x != nil && !r.Stale {
			x.Size = r.Size
		}
	}
}

// provider serves accounts, each with a ledger of its own: a file to which requests are appended as they
// arrive and when they are answered. It is synced before they are answered.
type provider struct {
	dir      string
	mu       sync.Mutex
	quiet    *sync.Cond // some request was answered
	accounts map[string]*account
}

// line is one of a ledger: a request that arrived, or the place in the order of arrivals of one that is
// answered.
type line struct {
	Begin *request `json:"begin,omitempty"`
	End   int      `json:"end,omitempty"`
}

// newProvider goes on from the ledgers in a directory.
func newProvider(dir string) (*provider, error) {
	p := &provider{dir: dir, accounts: map[string]*account{}}
	p.quiet = sync.NewCond(&p.mu)
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if p.accounts[f.Name()], err = p.load(f.Name()); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// load makes of a ledger what it says. A request that was under way when the provider died had no effect.
func (p *provider) load(name string) (*account, error) {
	a := newAccount()
	data, err := os.ReadFile(filepath.Join(p.dir, name))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	whole := bytes.LastIndexByte(data, '\n') + 1
	open := map[int]*request{}
	for lines := bufio.NewScanner(bytes.NewReader(data[:whole])); lines.Scan(); {
		var l line
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			return nil, fmt.Errorf("ledger %s: %w", name, err)
		}
		if l.Begin != nil {
			a.begin(l.Begin)
			a.running[l.Begin.Key] = l.Begin
			open[l.Begin.Begin] = l.Begin
		} else {
			a.end(open[l.End])
			delete(a.running, open[l.End].Key)
			delete(open, l.End)
		}
	}
	clear(a.running)
	if a.file, err = os.OpenFile(filepath.Join(p.dir, name), os.O_CREATE|os.O_WRONLY, 0o600); err != nil {
		return nil, err
	}
	if err := a.file.Truncate(int64(whole)); err != nil {
		return nil, err
	}
	_, err = a.file.Seek(int64(whole), 0)
	return a, err
}

func (p *provider) account(name string) (a *account, err error) {
	if a = p.accounts[name]; a == nil {
		a, err = p.load(name)
		p.accounts[name] = a
	}
	return a, err
}

func (a *account) write(l line) error {
	data, err := json.Marshal(l)
	if err == nil {
		_, err = a.file.Write(append(data, '\n'))
	}
	return err
}

// do serves one request.
func (p *provider) do(r *request) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	a, err := p.account(r.Account)
	if err != nil {
		return err
	}
	a.begin(r)
	if err := a.write(line{Begin: r}); err != nil {
		return err
	}
	for a.running[r.Key] != nil { // of a client that was killed: it is finished first
		p.quiet.Wait()
	}
	a.running[r.Key] = r
	place := r.Begin
	a.end(r)
	err = a.write(line{End: place})
	p.mu.Unlock()
	err = errors.Join(err, a.file.Sync())
	p.mu.Lock()
	delete(a.running, r.Key)
	p.quiet.Broadcast()
	return err
}

// record is what an account has, from a request on, when nothing is under way.
func (p *provider) record(name string, since int) (*account, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	a, err := p.account(name)
	if err != nil {
		return nil, err
	}
	for len(a.running) > 0 {
		p.quiet.Wait()
	}
	seen := *a
	seen.Requests = slices.Clone(a.Requests[min(since, len(a.Requests)):])
	seen.Resources = maps.Clone(a.Resources)
	for name, x := range a.Resources {
		copied := *x
		seen.Resources[name] = &copied
	}
	return &seen, nil
}

// copy begins an account with the ledger of another one.
func (p *provider) copy(from, to string) error {
	if _, err := p.record(from, 0); err != nil {
		return err
	}
	data, err := os.ReadFile(filepath.Join(p.dir, from))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(p.dir, to), data, 0o600)
}

// drop forgets an account.
func (p *provider) drop(name string) error {
	if _, err := p.record(name, 0); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	a := p.accounts[name]
	delete(p.accounts, name)
	return errors.Join(a.file.Close(), os.Remove(filepath.Join(p.dir, name)))
}
