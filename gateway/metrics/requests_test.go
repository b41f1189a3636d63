package metrics

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"twibase/gateway/usage"
	"twibase/graph/endpoint"
	"twibase/hbase"
)

func series(c prometheus.Collector) (n int) {
	metrics := make(chan prometheus.Metric)
	go func() {
		defer close(metrics)
		c.Collect(metrics)
	}()
	for range metrics {
		n++
	}
	return n
}

// Each day has other names.
func TestConcurrentRequestsKeepLabelsBounded(t *testing.T) {
	m := newRequestMetrics(usage.New(nil))
	const days = 100
	var day atomic.Int64
	var clients sync.WaitGroup
	for range 8 {
		clients.Go(func() {
			for i := 0; day.Load() < days; i++ {
				today := day.Load()
				trace := &endpoint.Trace{Kind: "query", Operation: fmt.Sprintf("Q%d_%d", today, i%MaxOperations),
					Client: fmt.Sprintf("c%d_%d", today, i%MaxClients), ClientVersion: "1"}
				m.observe(trace, new(hbase.Stats), 0, time.Unix(1_000_000, 0).Add(time.Duration(today)*25*time.Hour))
				if i%(2*MaxOperations) == 0 {
					day.CompareAndSwap(today, today+1)
				}
			}
		})
	}
	clients.Wait()
	if n := series(m.rows); n > MaxOperations+1 {
		t.Errorf("%d operations have series, want at most %d, and other", n, MaxOperations)
	}
	if n := series(m.requests); n > MaxClients+1 {
		t.Errorf("%d clients have series, want at most %d, and other", n, MaxClients)
	}
}
