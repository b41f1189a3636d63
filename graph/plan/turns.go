package plan

import "runtime"

// turns bounds the goroutines that write long responses of a schema at the same time. Go lets a
// goroutine run for up to 10 ms. A goroutine that the network wakes runs after all goroutines that
// are ready. So without turns, a short request would wait for many long responses in each of its
// rounds. Between turns, other goroutines run.
type turns chan struct{}

// turnLength is the number of bytes that a goroutine writes in a turn. Shorter data need none.
const turnLength = 64 << 10

// newTurns returns turns that leave one processor free, if there are several.
func newTurns() turns { return make(turns, max(1, runtime.GOMAXPROCS(0)-1)) }
