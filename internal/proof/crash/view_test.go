package crash

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/internal/state"
)

// view is what the state says at an instant at which nobody works on it.
type view struct {
	objects map[string]*object // that are not destroyed, by token; without the root
	tokens  map[string]string  // of these objects, by id
	records int                // of the journal
}

// object is one of a view.
type object struct {
	ID, Type     string
	Doomed, Told bool     // Told: its subscribers have been
	Subscribers  []string // ids of those that have a handler
	Resource     string
	Size         int
	Saved        []string // ids
	Parts        []string
}

type ref struct {
	ID string `json:"$ref"`
}

func ids(refs []ref) (list []string) {
	for _, r := range refs {
		list = append(list, r.ID)
	}
	return list
}

// look reads the state of an environment. There is none yet if it was killed early.
func look(packageDir, stateDir string) (*view, error) {
	v := &view{objects: map[string]*object{}, tokens: map[string]string{}}
	dir, err := state.Open(stateDir, &state.Options{ReadOnly: true})
	if errors.Is(err, state.ErrNoState) {
		return v, nil
	} else if err != nil {
		return nil, err
	}
	key := dir.Environment()
	v.records = len(dir.Records())
	if err := dir.Close(); err != nil {
		return nil, err
	}
	env, err := sexton.Open(&sexton.Options{Dir: packageDir, State: stateDir})
	if err != nil {
		return nil, err
	}
	snapshot, err := env.Snapshot()
	if err != nil {
		return nil, err
	}
	var parsed struct {
		Objects []struct {
			Header struct {
				ID, Type          string
				Incarnation       uint64
				Doomed, Destroyed bool
				Notified          *bool
				Dependencies      struct {
					OnDestruction []struct{ Subscriber, Handler string }
				}
			} `json:"?"`
			Resource     string
			Has          int
			Saved, Parts []ref
		}
	}
	if err := json.Unmarshal(snapshot, &parsed); err != nil {
		return nil, err
	}
	for _, p := range parsed.Objects {
		h := p.Header
		if h.Destroyed || h.Type == "Environment" {
			continue
		}
		o := &object{
			ID: h.ID, Type: strings.TrimPrefix(h.Type, "app/"), Doomed: h.Doomed, Told: h.Doomed && h.Notified == nil,
			Resource: p.Resource, Size: p.Has, Saved: ids(p.Saved), Parts: ids(p.Parts),
		}
		for _, s := range h.Dependencies.OnDestruction {
			if s.Handler != "" {
				o.Subscribers = append(o.Subscribers, s.Subscriber)
			}
		}
		token := tokenOf(key, h.ID, h.Incarnation)
		v.objects[token], v.tokens[h.ID] = o, token
	}
	return v, nil
}

// tokenOf is what GC.token is.
func tokenOf(key, id string, incarnation uint64) string {
	h := sha256.New()
	for _, part := range []string{key, id, strconv.FormatUint(incarnation, 10)} {
		fmt.Fprintf(h, "%d:%s,", len(part), part)
	}
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:18])
}
