package metrics

import (
	"context"
	"iter"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"twibase/hbase"
)

type slowScan struct{ hbase.Store }

func (slowScan) Scan(context.Context, hbase.Scan) iter.Seq2[hbase.Row, error] {
	return func(yield func(hbase.Row, error) bool) {
		for {
			if time.Sleep(time.Second); !yield(hbase.Row{}, nil) {
				return
			}
		}
	}
}

func TestScanDurationIsWithoutItsCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, rows := NewStore(slowScan{}), 0
		for range store.Scan(t.Context(), hbase.Scan{Table: "users"}) {
			time.Sleep(time.Minute)
			if rows++; rows == 3 {
				break
			}
		}
		registry := prometheus.NewRegistry()
		registry.MustRegister(store.duration)
		families, err := registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		if took := families[0].Metric[0].GetHistogram().GetSampleSum(); took != 3 {
			t.Errorf("the scan took %v s, want 3", took)
		}
	})
}
