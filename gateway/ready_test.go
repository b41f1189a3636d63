package gateway

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"twibase/graph/limits"
	"twibase/hbase"
	"twibase/hbase/embedded"
	"twibase/hbase/hbasetest"
	"twibase/hbase/tables"
	"twibase/transfer"
)

func TestReadyzFailsWithoutTablesOrStore(t *testing.T) {
	memory, err := embedded.Open("")
	if err != nil {
		t.Fatal(err)
	}
	defer memory.Close()
	var failing atomic.Int64 // failing reads
	store := hbasetest.NewFaults(memory, hbasetest.When(func(op hbasetest.Op) bool {
		return op.Kind == "Tables" || op.Kind == "Get" && failing.Add(-1) >= 0
	}, hbasetest.Fault{Err: hbase.ErrUnresponsive}))
	handler := New(store, Config{Limits: limits.Default()}).Public
	expect := func(t *testing.T, want int, body string) {
		t.Helper()
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/readyz", nil))
		if w.Code != want || w.Body.String() != body {
			t.Errorf("status %d, want %d: %s", w.Code, want, w.Body)
		}
	}
	t.Run("no tables", func(t *testing.T) {
		expect(t, http.StatusServiceUnavailable, "reads of users fail: hbase: table not found\n")
	})
	if _, err := transfer.EnsureTables(t.Context(), memory, 1); err != nil {
		t.Fatal(err)
	}
	t.Run("tables exist", func(t *testing.T) { expect(t, http.StatusOK, "ok\n") })
	t.Run("some reads fail", func(t *testing.T) {
		failing.Store(3)
		expect(t, http.StatusOK, "ok\n")
	})
	t.Run("all reads fail", func(t *testing.T) {
		failing.Store(1000)
		expect(t, http.StatusServiceUnavailable, "reads of users fail: hbase: unavailable\n")
	})
	t.Run("after the failure", func(t *testing.T) {
		failing.Store(0)
		expect(t, http.StatusOK, "ok\n")
	})
	if err := memory.DropTable(t.Context(), tables.Intents.Table); err != nil {
		t.Fatal(err)
	}
	t.Run("all writes fail", func(t *testing.T) {
		expect(t, http.StatusServiceUnavailable, "writes to intents fail: hbase: table not found\n")
	})
}

func TestProbesWriteNothing(t *testing.T) {
	store := sampleStore(t)
	if err := (&readiness{store: store}).check(t.Context()); err != nil {
		t.Fatal(err)
	}
	for row, err := range store.Scan(t.Context(), hbase.Scan{Table: tables.Intents.Table}) {
		t.Errorf("row %q, error %v", row.Key, err)
	}
}

// hanging is a store whose calls ignore their deadline.
type hanging struct {
	hbase.Store
	reads   atomic.Int64
	release chan struct{}
}

func (h *hanging) Get(context.Context, []hbase.Get) ([]hbase.Result, error) {
	h.reads.Add(1)
	<-h.release
	return nil, hbase.ErrClosed
}

func (h *hanging) CheckAndPut(context.Context, hbase.Check, hbase.Put) (bool, error) {
	<-h.release
	return false, hbase.ErrClosed
}

func TestReadyzRespondsWhileTheStoreBlocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &hanging{release: make(chan struct{})}
		ready := readiness{store: store}
		for range 3 {
			begun := time.Now()
			err := ready.check(t.Context())
			if took := time.Since(begun); !errors.Is(err, hbase.ErrUnavailable) || took > 500*time.Millisecond {
				t.Errorf("%v after %v", err, took)
			}
		}
		if n := store.reads.Load(); n != 1 {
			t.Errorf("%d probes hang, want 1", n)
		}
		close(store.release)
		synctest.Wait()
	})
}
