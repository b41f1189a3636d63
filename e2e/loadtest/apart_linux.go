package loadtest

import (
	"os"
	"runtime"
	"strconv"

	"golang.org/x/sys/unix"
)

// StartApart gives the gateway the second half of the processors, and this program the first, so
// that a busy client takes no time from the gateway. With one processor, apart is false.
func StartApart(start func() (*Gateway, error)) (g *Gateway, apart bool, err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var all, own, gateways unix.CPUSet
	if err := unix.SchedGetaffinity(0, &all); err != nil {
		return nil, false, err
	}
	if all.Count() < 2 {
		g, err = start()
		return g, false, err
	}
	for cpu := 0; own.Count()+gateways.Count() < all.Count(); cpu++ {
		switch {
		case !all.IsSet(cpu):
		case own.Count() < all.Count()/2:
			own.Set(cpu)
		default:
			gateways.Set(cpu)
		}
	}
	if err := unix.SchedSetaffinity(0, &gateways); err != nil {
		return nil, false, err
	}
	g, err = start()
	threads, unlisted := os.ReadDir("/proc/self/task")
	if err == nil {
		err = unlisted
	}
	for _, thread := range threads {
		if id, _ := strconv.Atoi(thread.Name()); err == nil {
			err = unix.SchedSetaffinity(id, &own)
		}
	}
	return g, true, err
}
