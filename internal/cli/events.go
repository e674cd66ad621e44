package cli

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/sextongc/sexton"
)

// eventVersion is the version of the lines that --json prints. It changes when a field changes its
// meaning or disappears; fields and kinds of events may come without.
const eventVersion = 1

// event is a line of --json. The kinds, with their fields:
//
//	start      verb, environment
//	phase      text
//	plan       count: a round of a collection begins, with that many objects
//	notify     object, subscriber, handler
//	destroy    object
//	destroyed  object, durationMs
//	failed     object, error; with subscriber and handler if it was a handler for the object
//	blocked    object, by
//	spared     object
//	warning    text
//	console    level (debug, log, info, warn, error), text: printed by a script
//	permission permission: one that was exercised or refused; with --explain-permissions
//	audit      audit: what became of permissions, if any were asked for
//	report     report, durationMs: what a deployment did
//	planned    plan: what a deployment would do
//	stored     stored: an object of the state
//	stray      effect: an effect of an object that the state no longer has
//	finding    level (warning, error), text: something that a check noticed
//	deployed   deployed, durationMs: what a deployment did, from the history
//	forgotten  removal: objects that state rm took out of the state
//	saved      saved: a file that snapshot save or export wrote
//	imported   imported: what snapshot import made the state
//	difference difference: what snapshot diff found
//	recovered  recovered: what state recover could read
//	lock       lock: what state unlock found
//	version    version
//	error      error: why the command did not do what was asked, once for each reason
//	end        exit: the exit code; always last
type event struct {
	V           int            `json:"v"`
	Event       string         `json:"event"`
	Time        string         `json:"time"`
	Verb        string         `json:"verb,omitempty"`
	Environment string         `json:"environment,omitempty"`
	Object      *sexton.Object `json:"object,omitempty"`
	Subscriber  *sexton.Object `json:"subscriber,omitempty"`
	Handler     string         `json:"handler,omitempty"`
	By          *sexton.Object `json:"by,omitempty"`
	Level       string         `json:"level,omitempty"`
	Text        string         `json:"text,omitempty"`
	Count       int            `json:"count,omitempty"`
	DurationMS  float64        `json:"durationMs,omitempty"`
	Error       *problem       `json:"error,omitempty"`
	Report      *reportJSON    `json:"report,omitempty"`
	Plan        *sexton.Plan   `json:"plan,omitempty"`
	Stored      *storedJSON    `json:"stored,omitempty"`

	Permission *sexton.PermissionUse `json:"permission,omitempty"`
	Audit      *sexton.Audit         `json:"audit,omitempty"`

	Effect    *effectJSON    `json:"effect,omitempty"`
	Deployed  *deployedJSON  `json:"deployed,omitempty"`
	Removal   *removalJSON   `json:"removal,omitempty"`
	Saved     *savedJSON     `json:"saved,omitempty"`
	Imported  *importedJSON  `json:"imported,omitempty"`
	Recovered *recoveredJSON `json:"recovered,omitempty"`
	Lock      *lockJSON      `json:"lock,omitempty"`
	Version   *versionJSON   `json:"version,omitempty"`

	Difference *sexton.Difference `json:"difference,omitempty"`
	Exit       *int               `json:"exit,omitempty"`
}

// reportJSON is a sexton.Report as --json prints it. All lists are there, empty or not.
type reportJSON struct {
	Created     []sexton.Object `json:"created"`
	Changed     []sexton.Object `json:"changed"`
	Kept        []sexton.Object `json:"kept"`
	Destroyed   []sexton.Object `json:"destroyed"`
	Failed      []failureJSON   `json:"failed"`
	Blocked     []blockedJSON   `json:"blocked"`
	Ignored     []failureJSON   `json:"ignored"`  // failures that onDestroyError "continue" passed over
	Handlers    []handlerJSON   `json:"handlers"` // that failed
	Notified    int             `json:"notified"`
	Warnings    []string        `json:"warnings"`
	Interrupted bool            `json:"interrupted"`
}

type failureJSON struct {
	ID    string `json:"id"`
	Type  string `json:"type"`
	Error string `json:"error"`
}

type blockedJSON struct {
	ID   string `json:"id"`
	Type string `json:"type"`
	By   string `json:"by"`
}

type handlerJSON struct {
	Publisher  string `json:"publisher"`
	Subscriber string `json:"subscriber"`
	Type       string `json:"type"`
	Handler    string `json:"handler"`
	Error      string `json:"error"`
}

func newReportJSON(r *sexton.Report) *reportJSON {
	out := &reportJSON{
		Created: orEmpty(r.Created), Changed: orEmpty(r.Changed), Kept: orEmpty(r.Kept), Destroyed: orEmpty(r.Destroyed),
		Failed: []failureJSON{}, Blocked: []blockedJSON{}, Ignored: []failureJSON{}, Handlers: []handlerJSON{},
		Notified: r.Notified, Warnings: orEmpty(r.Warnings), Interrupted: r.Interrupted,
	}
	for _, f := range r.Failed {
		out.Failed = append(out.Failed, failureJSON(f))
	}
	for _, f := range r.Ignored {
		out.Ignored = append(out.Ignored, failureJSON(f))
	}
	for _, b := range r.Blocked {
		out.Blocked = append(out.Blocked, blockedJSON(b))
	}
	for _, h := range r.Handlers {
		out.Handlers = append(out.Handlers, handlerJSON(h))
	}
	return out
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// emit prints an event.
func (a *app) emit(e *event) {
	a.emitted = true
	e.V, e.Time = eventVersion, a.Now().UTC().Format(time.RFC3339Nano)
	line, err := json.Marshal(e)
	if err != nil {
		panic(err) // structs of strings and numbers
	}
	fmt.Fprintf(a.Stdout, "%s\n", line)
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// eventView is the view of --json.
type eventView struct{ *app }

func (v *eventView) event(_ *progress, e *sexton.Event) {
	out := &event{
		Event: e.Kind, Object: e.Object, Subscriber: e.Subscriber, Handler: e.Handler, By: e.By,
		Text: e.Text, Count: e.Count, DurationMS: milliseconds(e.Duration),
	}
	if e.Err != nil {
		out.Error = v.problem(e.Err)
	}
	v.emit(out)
}

func (v *eventView) console(_ *progress, level, text string) {
	v.emit(&event{Event: "console", Level: level, Text: text})
}

func (v *eventView) tick(*progress) {}

func (v *eventView) clear() {}

func (v *eventView) report(_ *progress, r *sexton.Report) {
	v.emit(&event{Event: "report", Report: newReportJSON(r), DurationMS: milliseconds(r.Duration)})
}

func (v *eventView) summary(string) {}
