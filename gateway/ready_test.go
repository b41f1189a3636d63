package gateway

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"twibase/graph/limits"
	"twibase/hbase"
	"twibase/hbase/embedded"
	"twibase/hbase/hbasetest"
	"twibase/transfer"
)

func TestReady(t *testing.T) {
	memory, err := embedded.Open("")
	if err != nil {
		t.Fatal(err)
	}
	defer memory.Close()
	var failing atomic.Int64 // number of reads that fail
	store := hbasetest.NewFaults(memory, hbasetest.When(func(op hbasetest.Op) bool {
		return op.Kind == "Tables" || op.Kind == "Get" && failing.Add(-1) >= 0
	}, hbasetest.Fault{Err: hbase.ErrUnresponsive}))
	handler := New(store, Config{Limits: limits.Default()}).Public
	expect := func(t *testing.T, want int) {
		t.Helper()
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/readyz", nil))
		if w.Code != want {
			t.Errorf("status %d, want %d: %s", w.Code, want, w.Body)
		}
	}
	t.Run("no tables", func(t *testing.T) { expect(t, http.StatusServiceUnavailable) })
	if _, err := transfer.EnsureTables(t.Context(), memory, 1); err != nil {
		t.Fatal(err)
	}
	t.Run("tables exist", func(t *testing.T) { expect(t, http.StatusOK) })
	t.Run("some reads fail", func(t *testing.T) {
		failing.Store(3)
		expect(t, http.StatusOK)
	})
	t.Run("all reads fail", func(t *testing.T) {
		failing.Store(1000)
		expect(t, http.StatusServiceUnavailable)
	})
	t.Run("after the failure", func(t *testing.T) {
		failing.Store(0)
		expect(t, http.StatusOK)
	})
}
