package metrics

import (
	"context"
	"testing"
	"time"

	"twibase/gateway/usage"
	"twibase/graph/endpoint"
	"twibase/hbase"
)

type instant struct{ hbase.Store }

func (instant) Get(context.Context, []hbase.Get) ([]hbase.Result, error) { return nil, nil }

func BenchmarkMeasuring(b *testing.B) {
	fields := make([]int, 30)
	for i := range fields {
		fields[i] = i
	}
	metrics := newRequestMetrics(usage.New(make([]endpoint.Field, 200)))
	store := NewStore(instant{})
	gets := make([]hbase.Get, 100)
	for i := range gets {
		gets[i].Table = []string{"users", "twits"}[i%2]
	}
	trace := &endpoint.Trace{Operation: "Reference", Kind: "query", Client: "web", ClientVersion: "1", Fields: fields}
	for b.Loop() {
		for range 4 {
			_, _ = store.Get(b.Context(), gets)
		}
		metrics.observe(trace, new(hbase.Stats), time.Millisecond, time.Now())
	}
}
