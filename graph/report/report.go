// Package report tells a client what its request cost: as an extension of the response, if a header asks for it.
package report

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"twibase/graph/apierr"
	"twibase/graph/plan"
)

// Header asks for a report if its value is 1.
const Header = "X-Twibase-Report"

// Report is what a request cost. docs/REPORT.md says what the fields mean.
type Report struct {
	Rounds    int   `json:"rounds"`
	RPCs      int64 `json:"rpcs"`
	Gets      int64 `json:"gets"`
	Scans     int64 `json:"scans"`
	Rows      int64 `json:"rows"`
	Bytes     int64 `json:"bytes"`
	Fallbacks int   `json:"fallbacks"`
	// Executor and Reason are those of [plan.Execution].
	Executor   string  `json:"executor"`
	Reason     string  `json:"reason,omitempty"`
	DurationMs float64 `json:"durationMs"`
	Levels     []Level `json:"levels"`
}

// Level is a call of the store: many Gets that were sent together, a scan, or what a writer asked for.
type Level struct {
	// Path holds the paths of the fields that asked, with dots and without indexes, sorted.
	Path    []string `json:"path"`
	Loaders []Loader `json:"loaders"`
	RPCs    int64    `json:"rpcs"`
	// RegionServers counts those that were asked, each once.
	RegionServers int     `json:"regionServers"`
	Ms            float64 `json:"ms"`

	// What follows is for the sums.
	Gets, Scans, Rows, Bytes int64 `json:"-"`
	// Fallback is whether a timer sent it that should never fire.
	Fallback bool `json:"-"`
}

// Loader is what a level did for one loader, or for a writer.
type Loader struct {
	Name string  `json:"name"`
	Keys int     `json:"keys"`
	Hits int     `json:"hits"`
	Gets int     `json:"gets"`
	Ms   float64 `json:"ms"`
}

// Middleware puts reports into the responses to requests that ask for them. A request that is refused has none, as nothing was
// executed. watch begins to record what is read and written in ctx; the function that it returns ends that, and returns the
// levels. A report has at most so many bytes, 0 for any number; in place of a longer one there is an error.
func Middleware(watch func(ctx context.Context) (levels func() []Level), most int) graphql.ResponseMiddleware {
	return func(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
		op := graphql.GetOperationContext(ctx)
		if op.Headers.Get(Header) != "1" {
			return next(ctx)
		}
		end := watch(ctx)
		response := next(ctx)
		levels := end() // also without a report
		if response == nil || response.Data == nil {
			return response
		}
		execution := plan.ExecutionOf(op)
		r := sum(levels)
		r.Executor, r.Reason = execution.Executor, execution.Reason
		r.DurationMs = Ms(graphql.Now().Sub(graphql.GetStartTime(ctx))) // of an event, not of its subscription
		text, err := json.Marshal(r)
		if err == nil && most > 0 && len(text) > most {
			err = apierr.TooLong("the report", most)
		}
		if err != nil {
			public, _ := apierr.Of(err)
			response.Errors = append(response.Errors, public.GraphQL())
			return response
		}
		if response.Extensions == nil {
			response.Extensions = map[string]any{}
		}
		response.Extensions["report"] = json.RawMessage(text) // as it is sent
		return response
	}
}

func sum(levels []Level) *Report {
	r := &Report{Rounds: len(levels), Levels: levels}
	for i := range levels {
		l := &levels[i]
		r.RPCs += l.RPCs
		r.Gets += l.Gets
		r.Scans += l.Scans
		r.Rows += l.Rows
		r.Bytes += l.Bytes
		if l.Fallback {
			r.Fallbacks++
		}
	}
	return r
}

// Ms returns a duration as milliseconds, to a thousandth.
func Ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// longestKey is how much of a response key a path has: clients choose it, and a path is told for each field below.
const longestKey = 64

// Path returns the path of the field that is resolved with ctx: its response keys, with dots, without indexes. Keys of more than 64 bytes are cut.
func Path(ctx context.Context) string {
	var b strings.Builder
	for _, element := range graphql.GetPath(ctx) {
		if key, ok := element.(ast.PathName); ok {
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			if len(key) > longestKey {
				key = key[:longestKey] + "…"
			}
			b.WriteString(string(key))
		}
	}
	return b.String()
}
