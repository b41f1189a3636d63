package plan

import (
	"cmp"
	"context"
	"math"
	"runtime"
	"slices"
)

// Bounds limits a response. A limit of 0 is none.
type Bounds struct {
	// Bytes limits the data. Longer data becomes null and a [LimitError].
	Bytes int
	// Errors limits the errors, because building their paths is expensive.
	Errors int
	// Unreported is set to the number of errors beyond Errors.
	Unreported int
}

type boundsKey struct{}

// WithBounds returns a ctx for a response with these bounds.
func WithBounds(ctx context.Context, bounds *Bounds) context.Context {
	return context.WithValue(ctx, boundsKey{}, bounds)
}

type reserveKey struct{}

// WithReserve returns a ctx for a response that reserves memory while its data grow. reserve gets
// the total number of bytes to keep reserved until ctx ends. If it returns an error, the data are
// null, with that error.
func WithReserve(ctx context.Context, reserve func(bytes int) error) context.Context {
	return context.WithValue(ctx, reserveKey{}, reserve)
}

// reserveStep is in bytes. Shorter data reserve no memory.
const reserveStep = 1 << 20

// writeSlots bounds the goroutines that write long responses of a schema at the same time. Go lets
// a goroutine run for up to 10 ms. A goroutine that the network wakes runs after all that are
// ready. So without slots, a short request would wait for many long responses in each of its
// rounds. A writer gives its slot back after each slotBytes, and lets other goroutines run.
type writeSlots chan struct{}

// slotBytes is the number of bytes written with a slot. Shorter data need none. With 64 KiB, query
// reference of 'go -C bench run . compare' takes 2 % more CPU, because each [runtime.Gosched] wakes
// a thread.
const slotBytes = 256 << 10

// newWriteSlots leaves one processor free, if there are several.
func newWriteSlots() writeSlots { return make(writeSlots, max(1, runtime.GOMAXPROCS(0)-1)) }

// output is the data of a response. While they grow, it waits for write slots and reserves memory.
type output struct {
	dst       []byte
	nextPause int // proceed pauses if dst is longer
	limit     int // of the length of dst
	reserve   func(bytes int) error
	reserved  int // the length of dst that the reserved memory holds
	rejection error
	slots     writeSlots
	hasSlot   bool
}

func newOutput(ctx context.Context, dst []byte, limit int, slots writeSlots) output {
	reserve, _ := ctx.Value(reserveKey{}).(func(bytes int) error)
	return output{dst: dst, limit: cmp.Or(limit, math.MaxInt), reserve: reserve, slots: slots}
}

// proceed must be called between values. It may wait, and replace dst. It returns false if the data
// are rejected. Then the writer's methods return written, so that no caller shortens dst, and
// proceed stays false.
func (o *output) proceed() bool { return len(o.dst) <= o.nextPause || o.pause() }

// pause holds no write slot while it reserves memory, which may wait for other responses.
func (o *output) pause() bool {
	o.releaseSlot()
	if len(o.dst) > o.reserved && o.rejection == nil {
		o.rejection = o.reserveMore()
	}
	if o.rejection != nil {
		return false
	}
	if len(o.dst) > slotBytes {
		o.slots <- struct{}{}
		o.hasSlot = true
	}
	o.nextPause = min(len(o.dst)+slotBytes, o.reserved)
	room := min(len(o.dst), o.reserved-len(o.dst))
	if spare := cap(o.dst) - len(o.dst); len(o.dst) >= reserveStep && spare < min(2*slotBytes, room) {
		o.dst = withRoom(o.dst, room)
	}
	return true
}

func (o *output) releaseSlot() {
	if o.hasSlot {
		<-o.slots
		o.hasSlot = false
		runtime.Gosched()
	}
}

// reserveMore reserves four times the length of dst, from reserveStep on, so that a response that
// does not fit is rejected early.
func (o *output) reserveMore() error {
	if len(o.dst) > o.limit {
		return &LimitError{"the length of the response in bytes", o.limit}
	}
	if o.reserve == nil {
		o.reserved = o.limit
		return nil
	}
	next := min(max(4*len(o.dst), reserveStep), o.limit)
	if len(o.dst) >= reserveStep {
		if err := o.reserve(next); err != nil {
			return err
		}
	}
	o.reserved = next
	return nil
}

// withRoom returns a copy of a long text with room for n more bytes. The built-in append would
// allocate in smaller steps, and clear and copy the buffer in one piece that Go cannot interrupt. A
// garbage collection would then stop all other goroutines for milliseconds. During the copy, both
// buffers together take almost twice the reserved memory.
func withRoom(text []byte, n int) []byte {
	long := make([]byte, 0, len(text)+n)
	for part := range slices.Chunk(text, slotBytes) {
		long = append(long, part...)
	}
	return long
}
