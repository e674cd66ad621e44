package sexton

import "github.com/sextongc/sexton/internal/hook"

// keptSession has one deployment of an environment after another run in one session, so that tests load the
// package once. A nil one keeps nothing.
type keptSession struct {
	stateSide // of the deployment that runs
	session   *Session
}

func init() {
	hook.KeepSession = func(options any) func() any {
		kept := &keptSession{}
		options.(*Options).kept = kept
		return func() any { return kept.session }
	}
}

// open returns the session to deploy in.
func (k *keptSession) open(opts *SessionOptions) (s *Session, err error) {
	if k == nil {
		return NewSession(opts)
	}
	k.stateSide = opts.side
	if k.session == nil {
		opts.side = k
		k.session, err = NewSession(opts)
		return k.session, err
	}
	k.session.opts.journal = opts.journal
	return k.session, nil
}

// close is the end of a deployment in s.
func (k *keptSession) close(s *Session) error {
	if k == nil {
		return s.Close()
	}
	return nil
}
