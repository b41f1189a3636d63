package logging

import (
	"bytes"
	"io"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
)

const (
	// queuedLines is how many lines wait for the reader of the log. A line has about 400 bytes.
	queuedLines = 4096
	// FlushTimeout bounds how long the end of the process waits for the reader of its output.
	FlushTimeout = time.Second
)

// Queue writes lines in the background, so that a reader that stops, such as a paused terminal or the other end
// of a pipe, does not stop the server. It drops lines while the queue is full, counts them, and says so in the
// log when the reader goes on. It is safe for concurrent use.
//
// zerolog's diode.Writer does not fit: a line may stay in it until the next one comes, its Close waits for the
// reader without end, and it reports its own errors to standard error.
type Queue struct {
	// Dropped counts the lines that were dropped. The caller registers it.
	Dropped prometheus.Counter

	out     io.Writer
	lines   chan []byte // nil is the end
	done    chan struct{}
	missing atomic.Int64 // dropped lines that the log does not mention yet
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
		q.drop()
	}
	return len(line), nil
}

func (q *Queue) drop() {
	q.Dropped.Inc()
	q.missing.Add(1)
}

// Close waits until all queued lines are written, at most FlushTimeout. Lines that come later are dropped.
func (q *Queue) Close() error {
	timeout := time.After(FlushTimeout)
	select {
	case q.lines <- nil:
	case <-timeout:
		return nil
	}
	select {
	case <-q.done:
	case <-timeout:
	}
	return nil
}

// run writes queued lines. A line that follows dropped ones is preceded by a warning.
func (q *Queue) run() {
	defer close(q.done)
	var text bytes.Buffer
	log := zerolog.New(format(q.out, &text)).With().Timestamp().Logger()
	for line := range q.lines {
		text.Reset()
		missing := q.missing.Swap(0)
		if missing > 0 {
			log.Warn().Int64("lines", missing).Msg("log lines were dropped: the reader of the log is too slow")
		}
		text.Write(line)
		if _, err := q.out.Write(text.Bytes()); err != nil && line != nil {
			q.missing.Add(missing)
			q.drop()
		}
		if line == nil {
			return
		}
	}
}
