// Package report adds the cost of a request to its response.
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

// Header requests a report if its value is 1.
const Header = "X-Twibase-Report"

// Report is the cost of a request. The fields are in docs/REPORT.md.
type Report struct {
	Rounds int   `json:"rounds"`
	RPCs   int64 `json:"rpcs"`
	Gets   int64 `json:"gets"`
	Scans  int64 `json:"scans"`
	Rows   int64 `json:"rows"`
	Bytes  int64 `json:"bytes"`
	// Stalls counts batches that the watchdog failed.
	Stalls     int     `json:"fallbacks"`
	Executor   string  `json:"executor"`
	Reason     string  `json:"reason,omitempty"`
	DurationMs float64 `json:"durationMs"`
	Levels     []Level `json:"levels"`
}

// Level is a batch of Gets, a scan, or a call of a writer.
type Level struct {
	Path          []string `json:"path"`
	Loaders       []Loader `json:"loaders"`
	RPCs          int64    `json:"rpcs"`
	RegionServers int      `json:"regionServers"`
	Servers       []Server `json:"servers"`
	Tables        []string `json:"tables"`
	Gets          int64    `json:"gets"`
	Scans         int64    `json:"scans"`
	Rows          int64    `json:"rows"`
	Bytes         int64    `json:"bytes"`
	StartMs       float64  `json:"startMs"`
	Ms            float64  `json:"ms"`

	Begun time.Time `json:"-"`
	// Stalled: the watchdog failed the batch.
	Stalled bool `json:"-"`
}

// Server is one region server's part of a level.
type Server struct {
	Name    string  `json:"name"`
	RPCs    int64   `json:"rpcs"`
	Gets    int64   `json:"gets"`
	StartMs float64 `json:"startMs"` // since the level's start
	Ms      float64 `json:"ms"`
}

// Loader is one loader's or writer's part of a level.
type Loader struct {
	Name string  `json:"name"`
	Keys int     `json:"keys"`
	Hits int     `json:"hits"`
	Gets int     `json:"gets"`
	Ms   float64 `json:"ms"`
}

// Middleware adds a report to an executed request with [Header], or an error above maxBytes; 0 is
// no limit. trace records the calls of the store in ctx until levels is called.
func Middleware(trace func(ctx context.Context) (levels func() []Level), maxBytes int) graphql.ResponseMiddleware {
	return func(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
		op := graphql.GetOperationContext(ctx)
		if op.Headers.Get(Header) != "1" {
			return next(ctx)
		}
		end := trace(ctx)
		response := next(ctx)
		levels := end()
		if response == nil || response.Data == nil {
			return response
		}
		execution := plan.ExecutionOf(op)
		start := graphql.GetStartTime(ctx) // of an event, not the subscription
		r := sum(levels, start)
		r.Executor, r.Reason = execution.Executor, execution.Reason
		r.DurationMs = Ms(graphql.Now().Sub(start))
		text, err := json.Marshal(r)
		if err == nil && maxBytes > 0 && len(text) > maxBytes {
			err = apierr.TooLong("the length of the report in bytes", maxBytes)
		}
		if err != nil {
			public, _ := apierr.Of(err)
			response.Errors = append(response.Errors, public.GraphQL())
			return response
		}
		if response.Extensions == nil {
			response.Extensions = map[string]any{}
		}
		response.Extensions["report"] = json.RawMessage(text)
		return response
	}
}

func sum(levels []Level, start time.Time) *Report {
	r := &Report{Rounds: len(levels), Levels: levels}
	for i := range levels {
		l := &levels[i]
		l.StartMs = Ms(l.Begun.Sub(start))
		r.RPCs += l.RPCs
		r.Gets += l.Gets
		r.Scans += l.Scans
		r.Rows += l.Rows
		r.Bytes += l.Bytes
		if l.Stalled {
			r.Stalls++
		}
	}
	return r
}

// Ms returns milliseconds, rounded down to microseconds.
func Ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// longestKey limits response keys in a path, because clients choose them.
const longestKey = 64

// Path returns the path of ctx with dots, without indexes, and with truncated keys.
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
