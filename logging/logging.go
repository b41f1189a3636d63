// Package logging makes the loggers of the process.
package logging

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
	// queuedLines is how many lines wait for the reader of the log. A line has about 400 bytes.
	queuedLines = 4096
	// flushTimeout bounds how long [Queue.Close] waits for the reader of the log.
	flushTimeout = time.Second
)

// New returns a logger that writes a JSON object per line to out, or readable text if out is a terminal.
func New(out io.Writer, level zerolog.Level) zerolog.Logger {
	return zerolog.New(format(out, out)).Level(level).With().Timestamp().Logger()
}

// format returns a writer of JSON lines that writes to next, as readable text if out is a terminal.
func format(out, next io.Writer) io.Writer {
	if file, ok := out.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		return zerolog.ConsoleWriter{Out: next, TimeFormat: time.TimeOnly}
	}
	return next
}

// Queue writes lines in the background, so that a reader that stops, such as a paused terminal or the other end
// of a pipe, does not stop the server. It drops lines while the queue is full. It is safe for concurrent use.
//
// zerolog's diode.Writer does not fit: it counts dropped lines only when the reader goes on.
type Queue struct {
	// Dropped counts the lines that were dropped. The caller registers it.
	Dropped prometheus.Counter

	out   io.Writer
	lines chan []byte // nil is the end
	done  chan struct{}
}

// NewQueue returns a queue that writes to out until it is closed.
func NewQueue(out io.Writer) *Queue {
	q := &Queue{
		Dropped: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "twibase_log_lines_dropped_total",
			Help: "Log lines that were dropped because the reader of the log was too slow.",
		}),
		out:   out,
		lines: make(chan []byte, queuedLines),
		done:  make(chan struct{}),
	}
	go q.run()
	return q
}

// Logger returns a logger like log that writes to the queue.
func (q *Queue) Logger(log zerolog.Logger) zerolog.Logger { return log.Output(format(q.out, q)) }

// Write queues a line. It neither waits nor fails.
func (q *Queue) Write(line []byte) (int, error) {
	select {
	case q.lines <- bytes.Clone(line):
	default:
		q.Dropped.Inc()
	}
	return len(line), nil
}

// Close waits until all queued lines are written, at most flushTimeout. Lines that come later are dropped.
func (q *Queue) Close() {
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

func (q *Queue) run() {
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
