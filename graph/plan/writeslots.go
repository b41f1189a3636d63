package plan

import "runtime"

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
