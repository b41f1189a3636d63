// Package stack gives new goroutines the stacks that they will need.
package stack

// room is what a goroutine that reads or resolves comes to need at most, with what the runtime adds: 16 KB, the largest stack of those that the
// runtime keeps for the next goroutine.
const room = 10 << 10

// Grow gives the goroutine that calls it a stack of 16 KB at once. A stack begins with 2 KB, and each time that it is full the runtime copies it, with
// all that is on it by then, to one of twice the size: a goroutine that soon ends may spend as much on that as on its work. It is called
// first, while there is little to copy.
//
//go:noinline
func Grow() {
	var b [room]byte
	use(b[:])
}

// use keeps b from being left out. As b does not leave it, b is on the stack.
//
//go:noinline
func use(b []byte) { b[len(b)-1] = 1 }
