package plan

import (
	"context"
	"runtime"
)

// Turns bounds the goroutines that write long responses at the same time. Go lets a goroutine run
// for up to 10 ms. A goroutine that the network wakes runs after all goroutines that are ready. So
// without turns, a short request would wait for many long responses in each of its rounds. nil
// bounds nothing. Between turns, other goroutines run. Turns are safe for concurrent use.
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
