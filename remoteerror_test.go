package sexton

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton/gcext"
	"github.com/sextongc/sexton/objectstore"
	"github.com/sextongc/sexton/runtime"
	"github.com/sextongc/sexton/serialize"
)

// Whatever callers match is the same after an error went to another process and back.
func TestErrorsCross(t *testing.T) {
	script := &runtime.ScriptError{Name: "TypeError", Message: "no", Stack: []runtime.Frame{{Func: "f", File: "a.ts", Line: 3, Column: 4}}, Cause: runtime.ErrTimeLimit}
	several := &runtime.ScriptError{
		Name: "AggregateError", Object: "Item a", Details: "{ code: 1 }", ErrorCount: 20, Cause: script,
		Errors: []*runtime.ScriptError{{Message: "one", Cause: script}, {Message: "two"}},
	}
	cross := func(err error) error {
		data, marshalErr := json.Marshal(encodeError(err))
		require.NoError(t, marshalErr)
		var d errorData
		require.NoError(t, json.Unmarshal(data, &d))
		return decodeError(&d, nil)
	}
	for _, err := range []error{
		errors.New("plain"), fmt.Errorf("wrapped: %w", ErrIncomplete), errors.Join(ErrBroken, errors.New("other")),
		&PhaseError{Phase: "deploy", Object: "Item a", Err: script}, script, several, &TimeoutError{Limit: time.Second, During: "load"},
		&runtime.BuildError{File: "a.ts", Line: 1, Column: 2, Text: "what", Source: "line", More: []*runtime.BuildError{{Text: "more"}}},
		&serialize.Error{File: "m.json", Line: 2, Column: 1, Path: "Item a", Msg: "wrong", Secret: true},
		&gcext.RoundsError{Rounds: 3, Classes: []string{"a/B"}}, &objectstore.ValueError{Path: "p", Expected: "string", Got: "number"},
	} {
		got := cross(err)
		require.Equal(t, err.Error(), got.Error())
		require.Equal(t, Detail(err), Detail(got))
		for _, sentinel := range sentinels {
			require.Equal(t, errors.Is(err, sentinel), errors.Is(got, sentinel), "%v is %v", err, sentinel)
		}
		if errors.Unwrap(err) == nil && len(joined(err)) == 1 {
			require.Equal(t, err.Error(), got.Error())
		}
	}
	require.Equal(t, several, cross(several))
	require.NoError(t, decodeError(encodeError(nil), nil))
	var build *runtime.BuildError
	require.ErrorAs(t, cross(fmt.Errorf("x: %w", &runtime.BuildError{File: "f", Hint: "h"})), &build)
	require.Equal(t, &runtime.BuildError{File: "f", Hint: "h"}, build)
	why := errors.New("why")
	require.Equal(t, why, decodeError(encodeError(errStopped), map[string]error{kindStopped: why}))

	deep := errors.New("inside")
	for range 1_000 {
		deep = &PhaseError{Phase: "p", Err: deep}
	}
	require.NotNil(t, decodeError(encodeError(errors.Join(deep, context.Canceled)), nil))
}

// Data that is wrong gives some error, and does no harm.
func TestWrongErrorsCross(t *testing.T) {
	for _, data := range []string{
		`{"text":"t","kind":"phase"}`, `{"text":"t","kind":"script","value":7}`,
		`{"text":"t","kind":"script","value":{"Message":"m","Errors":[null]},"errors":[null,{"kind":"build"},{"text":"u"}]}`, `{"text":"t","kind":"nothing","inner":[null,{}]}`,
		`{"text":"t","kind":"phase","value":{"Phase":"p"}}`, `{"text":"t","kind":"build","value":{"More":[null]}}`,
	} {
		var d errorData
		require.NoError(t, json.Unmarshal([]byte(data), &d))
		require.NotEmpty(t, decodeError(&d, nil).Error(), data)
	}
}
