package plan

import (
	"context"
	"io"
	"runtime"
	"slices"
)

// Turns bounds the goroutines that write or compress long responses at the same time. Go lets a
// goroutine run for up to 10 ms. A goroutine that the network wakes runs after all goroutines that
// are ready. So without turns, a short request would wait for many long responses in each of its
// rounds. nil bounds nothing. Turns are safe for concurrent use.
type Turns chan struct{}

// turnLength is the number of bytes that a goroutine writes in a turn. Shorter data need none.
const turnLength = 64 << 10

// NewTurns returns turns that leave one processor free, if there are several.
func NewTurns() Turns { return make(Turns, max(1, runtime.GOMAXPROCS(0)-1)) }

type turnsKey struct{}

// WithTurns returns a ctx for responses whose data are written in turns.
func WithTurns(ctx context.Context, turns Turns) context.Context {
	return context.WithValue(ctx, turnsKey{}, turns)
}

func turnsOf(ctx context.Context) Turns {
	turns, _ := ctx.Value(turnsKey{}).(Turns)
	return turns
}

// Writer returns a writer that writes long data to w in turns. w must be a buffer, because a client
// that reads slowly would hold a turn.
func (t Turns) Writer(w io.Writer) io.Writer { return turnWriter{t, w} }

type turnWriter struct {
	turns Turns
	w     io.Writer
}

func (t turnWriter) Write(data []byte) (written int, err error) {
	if t.turns == nil || len(data) <= turnLength {
		return t.w.Write(data)
	}
	for chunk := range slices.Chunk(data, turnLength) {
		t.turns <- struct{}{}
		n, err := t.w.Write(chunk)
		<-t.turns
		if written += n; err != nil {
			return written, err
		}
	}
	return written, nil
}
