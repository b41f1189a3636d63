package apierr

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

func coded(code, message string) *gqlerror.Error {
	return &gqlerror.Error{Message: message, Extensions: map[string]any{"code": code},
		Locations: []gqlerror.Location{{Line: 1, Column: 2}}}
}

func rejectedValue() error {
	why := LimitExceeded("an id's length in bytes", 512, 513)
	return &gqlerror.Error{
		Err: why, Message: "$id: " + why.Message, Extensions: map[string]any{"code": "GRAPHQL_VALIDATION_FAILED"},
	}
}

func TestPresentHidesInternalErrors(t *testing.T) {
	secret := errors.New("region server 10.0.0.7 fell over")
	for _, test := range []struct {
		name   string
		err    error
		want   string
		logged string // empty if nothing is logged
	}{
		{"a public error", BadUserInput("first can't be %d", -1),
			`{"message":"first can't be -1","extensions":{"code":"BAD_USER_INPUT"}}`, ""},
		{"a wrapped public error", fmt.Errorf("users: %w", Unauthenticated("no token")),
			`{"message":"no token","extensions":{"code":"UNAUTHENTICATED"}}`, ""},
		{"a limit has the limit and the actual number", LimitExceeded("a page's number of entries", 100, 101),
			`{"message":"a page's number of entries is limited to 100, and this is 101","extensions":{"actual":101,"code":"LIMIT_EXCEEDED","limit":100}}`, ""},
		{"the cause of a public error is logged", Unavailable(secret),
			`{"message":"the store does not answer; try again later","extensions":{"code":"UNAVAILABLE"}}`, secret.Error()},
		{"an outage has the time after which to retry", fmt.Errorf("get: %w", outage(1500*time.Millisecond)),
			`{"message":"the store does not answer; try again later","extensions":{"code":"UNAVAILABLE","retryAfterMs":1500}}`, "region is busy"},
		{"an outage that a retry does not end", outage(0),
			`{"message":"the store does not answer; try again later","extensions":{"code":"UNAVAILABLE"}}`, "region is busy"},
		{"an outage after a commit", committed{fmt.Errorf("put: %w", outage(time.Second))},
			`{"message":"the store does not answer, and the mutation may have been executed: read the state before you repeat it, ` +
				`or use the same idempotencyKey","extensions":{"code":"UNAVAILABLE","retryAfterMs":1000}}`, "region is busy"},
		{"an internal error is masked and logged", secret,
			`{"message":"internal error","extensions":{"code":"INTERNAL"}}`, secret.Error()},
		{"a deadline", fmt.Errorf("get: %w", context.DeadlineExceeded),
			`{"message":"the request took too long","extensions":{"code":"TIMEOUT"}}`, "deadline"},
		{"a limit of the store", fmt.Errorf("get: %w", &stored{}),
			`{"message":"what is read is limited to 7, and this is 8","extensions":{"actual":8,"code":"LIMIT_EXCEEDED","limit":7}}`, ""},
		{"a cancellation is not logged", fmt.Errorf("get: %w", context.Canceled),
			`{"message":"the request was cancelled","extensions":{"code":"TIMEOUT"}}`, ""},
		{"a syntax error keeps its message and location", coded("GRAPHQL_PARSE_FAILED", "Expected Name"),
			`{"message":"Expected Name","locations":[{"line":1,"column":2}],"extensions":{"code":"BAD_USER_INPUT"}}`, ""},
		{"a validation error keeps its message and location", coded("GRAPHQL_VALIDATION_FAILED", "Cannot query field"),
			`{"message":"Cannot query field","locations":[{"line":1,"column":2}],"extensions":{"code":"BAD_USER_INPUT"}}`, ""},
		{"the code of a rejected value", rejectedValue(),
			`{"message":"$id: an id's length in bytes is limited to 512, and this is 513","extensions":{"actual":513,"code":"LIMIT_EXCEEDED","limit":512}}`, ""},
		{"another code of a library is masked", coded("WHATEVER", "dial tcp 10.0.0.7"),
			`{"message":"internal error","locations":[{"line":1,"column":2}],"extensions":{"code":"INTERNAL"}}`, "dial tcp"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var log bytes.Buffer
			got, err := json.Marshal(Present(logging(&log), test.err))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if !strings.Contains(log.String(), test.logged) || (test.logged == "") != (log.Len() == 0) {
				t.Errorf("got log %q, want %q in it", log.String(), test.logged)
			}
		})
	}
}

type stored struct{}

func (*stored) Error() string                { return "of region server 10.0.0.7" }
func (*stored) Exceeded() (string, int, int) { return "what is read", 7, 8 }

type outage time.Duration

func (outage) Error() string               { return "the region is busy" }
func (outage) Temporary() bool             { return true }
func (o outage) RetryAfter() time.Duration { return time.Duration(o) }

type committed struct{ error }

func (c committed) Unwrap() error { return c.error }
func (committed) MayBeDone() bool { return true }

func TestPresentedErrorHasThePathOfItsField(t *testing.T) {
	field := func(name string) *graphql.FieldContext {
		return &graphql.FieldContext{Field: graphql.CollectedField{Field: &ast.Field{Alias: name}}}
	}
	index := 0
	ctx := graphql.WithFieldContext(context.Background(), field("nodes"))
	ctx = graphql.WithFieldContext(ctx, &graphql.FieldContext{Index: &index})
	ctx = graphql.WithFieldContext(ctx, field("twits"))
	for _, test := range []struct {
		name string
		path ast.Path
		want string
	}{
		{"an object of a batch has the path of ctx",
			ast.Path{ast.PathName("nodes"), ast.PathIndex(3), ast.PathName("twits")}, "nodes[0].twits"},
		{"a list element has its index",
			ast.Path{ast.PathName("nodes"), ast.PathIndex(0), ast.PathName("twits"), ast.PathIndex(2)}, "nodes[0].twits[2]"},
		{"an argument has the path of its field",
			ast.Path{ast.PathName("nodes"), ast.PathIndex(0), ast.PathName("twits"), ast.PathName("first")}, "nodes[0].twits"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := Present(ctx, gqlerror.WrapPath(test.path, BadUserInput("no")))
			if got.Path.String() != test.want {
				t.Errorf("the path is %s, want %s", got.Path, test.want)
			}
		})
	}
}

func TestErrorsOfAnOutageAreLoggedOnce(t *testing.T) {
	var log bytes.Buffer
	ctx := Once(logging(&log))
	for range 3 {
		Present(ctx, Unavailable(errors.New("one failure")))
		Present(ctx, errors.New("another"))
	}
	if got := strings.Count(log.String(), "\n"); got != 2 {
		t.Errorf("got %d log lines, want 2:\n%s", got, &log)
	}
}

func TestRecoverLogsTheStackOfAPanic(t *testing.T) {
	var log bytes.Buffer
	ctx := logging(&log)
	got := Present(ctx, Recover(ctx, "index out of range"))
	if got.Message != "internal error" || got.Extensions["code"] != "INTERNAL" {
		t.Errorf("got %v for a panic", got)
	}
	for _, want := range []string{"index out of range", "TestRecover"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %q: %s", want, &log)
		}
	}
}

func TestRecoverReturnsPublicErrors(t *testing.T) {
	var log bytes.Buffer
	ctx := logging(&log)
	if want := LimitExceeded("an Int", 1, 2); Recover(ctx, want) != error(want) || log.Len() > 0 {
		t.Errorf("got %v, log %s", Recover(ctx, want), &log)
	}
}

func TestWriteSendsStatusAndError(t *testing.T) {
	w := httptest.NewRecorder()
	LimitExceeded("a body", 1, 2).Write(w, 413)
	want := `{"errors":[{"message":"a body is limited to 1, and this is 2","extensions":{"actual":2,"code":"LIMIT_EXCEEDED","limit":1}}]}` + "\n"
	if diff := cmp.Diff(want, w.Body.String()); diff != "" || w.Code != 413 {
		t.Errorf("status %d (-want +got):\n%s", w.Code, diff)
	}
}

func logging(into *bytes.Buffer) context.Context {
	return zerolog.New(into).WithContext(context.Background())
}
