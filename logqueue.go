package main

import (
	"bytes"
	"io"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/rs/zerolog"
)

const (
	// queuedLines is how many lines wait for the reader of the log, of some 400 bytes each.
	queuedLines = 4096
	// linesTogether is how many bytes of lines are written at once.
	linesTogether = 64 << 10
	// flushTimeout is how long the end of the process waits for the reader of the log.
	flushTimeout = time.Second
)

var linesDropped = promauto.NewCounter(prometheus.CounterOpts{
	Name: "twibase_log_lines_dropped_total",
	Help: "Lines that are not in the log, since nobody read it fast enough.",
})

// logQueue writes the lines of a log beside whoever logs: a reader that stops, as at the other end of a pipe or at a terminal, stops nobody. What
// comes when the queue is full is dropped and counted, and the log says so when it goes on. It is safe for concurrent use.
//
// zerolog's own diode.Writer does the same, but a line may stay in it until the next comes (its Waiter is woken without the lock under which it
// falls asleep), its Close waits for ever for such a reader, and what it complains of it writes to standard error itself.
type logQueue struct {
	out     io.Writer
	lines   chan []byte // nil is the end
	ended   chan struct{}
	dropped atomic.Int64 // since the log last told
}

func newLogQueue(out io.Writer) *logQueue {
	q := &logQueue{out: out, lines: make(chan []byte, queuedLines), ended: make(chan struct{})}
	go q.write()
	return q
}

// Write queues a line. It never waits and never fails.
func (q *logQueue) Write(line []byte) (int, error) {
	select {
	case q.lines <- bytes.Clone(line):
	default:
		linesDropped.Inc()
		q.dropped.Add(1)
	}
	return len(line), nil
}

// Close returns when all lines are written that were queued before, or after a second. What comes later is dropped.
func (q *logQueue) Close() error {
	patience := time.After(flushTimeout)
	select {
	case q.lines <- nil:
	case <-patience:
		return nil
	}
	select {
	case <-q.ended:
	case <-patience:
	}
	return nil
}

// write writes what is queued, as much at once as there is.
func (q *logQueue) write() {
	defer close(q.ended)
	var text bytes.Buffer
	gap := zerolog.New(legible(q.out, &text)).With().Timestamp().Logger()
	for line := range q.lines {
		text.Reset()
		text.Write(line)
		for line != nil && len(q.lines) > 0 && text.Len() < linesTogether {
			line = <-q.lines
			text.Write(line)
		}
		lines := bytes.Count(text.Bytes(), []byte("\n"))
		missing := q.dropped.Swap(0) // there is always a line behind those that were dropped: the queue was full
		if missing > 0 {
			gap.Warn().Int64("lines", missing).Msg("lines of the log were dropped, since nobody read it")
		}
		if _, err := q.out.Write(text.Bytes()); err != nil {
			linesDropped.Add(float64(lines))
			q.dropped.Add(missing + int64(lines))
		}
		if line == nil {
			return
		}
	}
}
