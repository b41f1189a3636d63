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
	var silent atomic.Int64 // how many of the rows nobody answers for
	store := hbasetest.NewFaults(memory, hbasetest.When(func(op hbasetest.Op) bool {
		return op.Kind == "Tables" || op.Kind == "Get" && silent.Add(-1) >= 0
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
	t.Run("it is not while its tables are not there", func(t *testing.T) { expect(t, http.StatusServiceUnavailable) })
	if _, err := transfer.EnsureTables(t.Context(), memory, 1); err != nil {
		t.Fatal(err)
	}
	t.Run("it is when they are", func(t *testing.T) { expect(t, http.StatusOK) })
	t.Run("it is if it answers for some of the rows", func(t *testing.T) {
		silent.Store(3)
		expect(t, http.StatusOK)
	})
	t.Run("it is not if it answers for none", func(t *testing.T) {
		silent.Store(1000)
		expect(t, http.StatusServiceUnavailable)
	})
	t.Run("it is when it is back", func(t *testing.T) {
		silent.Store(0)
		expect(t, http.StatusOK)
	})
}
