package stack

import (
	"sync"
	"testing"
)

// BenchmarkGoroutine is a goroutine that comes to need much of its stack by and by, with and without Grow.
func BenchmarkGoroutine(b *testing.B) {
	for name, begin := range map[string]func(){"growing": func() {}, "grown": Grow} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				var group sync.WaitGroup
				group.Go(func() {
					begin()
					descend(40)
				})
				group.Wait()
			}
		})
	}
}

//go:noinline
func descend(n int) (sum int) {
	var frame [16]int
	frame[n%len(frame)] = n
	if n > 0 {
		sum = descend(n - 1)
	}
	return sum + frame[n%len(frame)]
}

func TestAStackIsGrownWithoutAnAllocation(t *testing.T) {
	if n := testing.AllocsPerRun(100, Grow); n != 0 {
		t.Errorf("Grow allocates %v times", n)
	}
}
