package loadtest

import (
	"os"
	"runtime"
	"strconv"

	"golang.org/x/sys/unix"
)

// Apart lets a gateway that start starts have the second half of the processors for itself, and leaves this program the first from then on: otherwise
// whoever asks takes from it what it would answer with, and the more the more is asked. Where there is one processor they share it, and apart is false.
func Apart(start func() (*Gateway, error)) (g *Gateway, apart bool, err error) {
	runtime.LockOSThread() // of which a process that is started has its processors
	defer runtime.UnlockOSThread()
	var all, mine, its unix.CPUSet
	if err := unix.SchedGetaffinity(0, &all); err != nil {
		return nil, false, err
	}
	if all.Count() < 2 {
		g, err = start()
		return g, false, err
	}
	for cpu := 0; mine.Count()+its.Count() < all.Count(); cpu++ {
		switch {
		case !all.IsSet(cpu):
		case mine.Count() < all.Count()/2:
			mine.Set(cpu)
		default:
			its.Set(cpu)
		}
	}
	if err := unix.SchedSetaffinity(0, &its); err != nil {
		return nil, false, err
	}
	g, err = start()
	threads, unlisted := os.ReadDir("/proc/self/task")
	if err == nil {
		err = unlisted
	}
	for _, thread := range threads { // those to come are begun by one of these
		if id, _ := strconv.Atoi(thread.Name()); err == nil {
			err = unix.SchedSetaffinity(id, &mine)
		}
	}
	return g, true, err
}
