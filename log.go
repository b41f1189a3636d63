package main

import (
	"context"
	"crypto/rand"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/term"

	"twibase/graph/endpoint"
	"twibase/hbase"
)

// newLogger writes a JSON object a line, or what people read more easily if out is a terminal.
func newLogger(out io.Writer, level string) zerolog.Logger {
	least, err := zerolog.ParseLevel(level)
	if err != nil {
		panic(err) // kong let nothing else pass
	}
	return zerolog.New(legible(out, out)).Level(least).With().Timestamp().Logger()
}

// legible returns a writer of JSON lines that hands them on to next, in the form that people read if they do so, as out is a terminal.
func legible(out, next io.Writer) io.Writer {
	if file, ok := out.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		return zerolog.ConsoleWriter{Out: next, TimeFormat: time.TimeOnly}
	}
	return next
}

// warnings is where net/http writes what goes wrong outside of a request.
type warnings struct{ log zerolog.Logger }

func (w warnings) Write(line []byte) (int, error) {
	w.log.Warn().Str("from", "net/http").Msg(string(line))
	return len(line), nil
}

// longestName is how much of an operation's name is logged: clients choose it.
const longestName = 100

// sentAway is how many of the requests that are sent away are logged: so many come when there is least time for them. The metrics count them all.
var sentAway = perSecond(10)

func perSecond(lines uint32) zerolog.Sampler {
	return &zerolog.BurstSampler{Burst: lines, Period: time.Second}
}

// logged writes one line for each request, with what it asked for and what that cost, and gives it an id by which its other lines
// are found.
func logged(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		ctx, id, ended := observed(r.Context())
		w.Header().Set("X-Request-Id", id)
		next.ServeHTTP(answer, r.WithContext(ctx))
		ended().Int("status", answer.status).Msg("request")
	})
}

// observe logs an operation of a WebSocket as if it were a request.
func observe(ctx context.Context) (of context.Context, ended func()) {
	ctx, _, over := observed(ctx)
	return ctx, func() { over().Msg("operation") }
}

// observed returns the ctx of something new, its id, and what measures it and begins its line when it is over.
func observed(ctx context.Context) (of context.Context, id string, ended func() *zerolog.Event) {
	start := time.Now()
	id = rand.Text()
	log := zerolog.Ctx(ctx).With().Str("request", id).Logger()
	trace, stats := new(endpoint.Trace), new(hbase.Stats)
	ctx = hbase.WithStats(endpoint.WithTrace(log.WithContext(ctx), trace), stats)
	return ctx, id, func() *zerolog.Event {
		measure(trace.Execution, stats)
		log := log
		if trace.SentAway {
			log = log.Sample(sentAway)
		}
		return log.Info().
			Str("operation", trace.Operation[:min(len(trace.Operation), longestName)]).Str("kind", trace.Kind).
			Int("errors", trace.Errors).Dur("ms", time.Since(start)).
			Str("executor", trace.Execution.Executor).
			Int64("rounds", stats.Rounds.Load()).Int64("gets", stats.Gets.Load()).Int64("scans", stats.Scans.Load()).Int64("rpcs", stats.RPCs.Load()).
			Int64("rows", stats.Rows.Load()).Int64("bytes", stats.Bytes.Load())
	}
}

// statusWriter remembers the status of an answer.
type statusWriter struct {
	http.ResponseWriter
	status int
}

// WriteHeader implements [http.ResponseWriter].
func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets [http.ResponseController] reach what the writer can do besides.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
