package command

import (
	"bytes"
	"io"
	"os"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
	"golang.org/x/term"
)

const (
	queuedLines  = 4096 // of about 400 bytes
	flushTimeout = time.Second
)

func newLogger(out io.Writer, level zerolog.Level) zerolog.Logger {
	return zerolog.New(logFormat(out, out)).Level(level).With().Timestamp().Logger()
}

func logFormat(out, next io.Writer) io.Writer {
	if file, ok := out.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		return zerolog.ConsoleWriter{Out: next, TimeFormat: time.TimeOnly}
	}
	return next
}

// logQueue writes lines in the background, so that a blocked reader does not block the server, and
// drops lines while it is full. It is safe for concurrent use. zerolog's diode.Writer would count
// dropped lines only after the reader has resumed.
type logQueue struct {
	Dropped prometheus.Counter

	out   io.Writer
	lines chan []byte // nil is the end
	done  chan struct{}
}

func newLogQueue(out io.Writer) *logQueue {
	q := &logQueue{
		Dropped: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "twibase_log_lines_dropped_total",
			Help: "Log lines that were dropped because the reader of the log was too slow, " +
				"or because they could not be written.",
		}),
		out:   out,
		lines: make(chan []byte, queuedLines),
		done:  make(chan struct{}),
	}
	go q.run()
	return q
}

func (q *logQueue) logger(log zerolog.Logger) zerolog.Logger { return log.Output(logFormat(q.out, q)) }

func (q *logQueue) Write(line []byte) (int, error) {
	select {
	case q.lines <- bytes.Clone(line):
	default:
		q.Dropped.Inc()
	}
	return len(line), nil
}

// Close waits up to flushTimeout for queued lines.
func (q *logQueue) Close() {
	timeout := time.After(flushTimeout)
	select {
	case q.lines <- nil:
	case <-timeout:
		return
	}
	select {
	case <-q.done:
	case <-timeout:
	}
}

func (q *logQueue) run() {
	defer close(q.done)
	for line := range q.lines {
		if line == nil {
			return
		}
		if _, err := q.out.Write(line); err != nil {
			q.Dropped.Inc()
		}
	}
}
