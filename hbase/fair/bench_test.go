package fair

import (
	"fmt"
	"math"
	"sync"
	"testing"
)

// BenchmarkManyClients is like a twit with one subscription of each client.
func BenchmarkManyClients(b *testing.B) {
	for _, clients := range []int{100, 20_000} {
		names := make([]string, clients)
		for i := range names {
			names[i] = fmt.Sprint(i)
		}
		b.Run(fmt.Sprint(clients), func(b *testing.B) {
			for range b.N {
				s := New(4, 1, math.MaxInt)
				var done sync.WaitGroup
				for _, name := range names {
					done.Go(func() {
						if s.Acquire(b.Context(), name, 1, math.MaxInt64) {
							defer s.Release(name, 1)
						}
					})
				}
				done.Wait()
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*clients), "µs/client")
		})
	}
}
