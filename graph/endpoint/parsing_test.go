package endpoint

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"twibase/graph/limits"
)

func TestLongBodiesAreParsedInTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEndpoint(Config{})
		check := func(when string, length, status int, after time.Duration) {
			t.Helper()
			const query = `{"query":"{ __typename }"}`
			w, begun := httptest.NewRecorder(), time.Now()
			e.ServeHTTP(w, post(query+strings.Repeat(" ", length-len(query))))
			if took := time.Since(begun); w.Code != status || took != after {
				t.Errorf("%s, %d bytes: status %d after %v, want %d after %v: %s",
					when, length, w.Code, took, status, after, w.Body)
			}
		}
		e.parsing.TryAcquire("another client", parsedBytes)
		check("while others are parsed", shortBody, http.StatusOK, 0)
		check("while others are parsed", shortBody+1, http.StatusServiceUnavailable, queueTimeout)
		time.AfterFunc(queueTimeout/2, func() { e.parsing.Release("another client", parsedBytes) })
		check("before others end", shortBody+1, http.StatusOK, queueTimeout/2)
		check("alone", maxBody, http.StatusOK, 0)
		if used, waiting := e.parsing.Load(); used != 0 || waiting != 0 {
			t.Errorf("%d bytes are parsed, and %d bodies wait", used, waiting)
		}
	})
}

func TestTooLongDocumentsDoNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEndpoint(Config{Concurrency: 1, Limits: limits.Default()})
		e.admission.slots.TryAcquire("another client", 1)
		defer e.admission.slots.Release("another client", 1)
		for length, want := range map[int]string{
			limits.Default()[limits.Bytes]:     `"code":"UNAVAILABLE"`,
			limits.Default()[limits.Bytes] + 1: `"actual":65537,"code":"LIMIT_EXCEEDED","limit":65536`,
		} {
			w, begun := httptest.NewRecorder(), time.Now()
			e.ServeHTTP(w, post(`{"query":"`+strings.Repeat(" ", length)+`"}`))
			waited := time.Since(begun) > 0
			if !strings.Contains(w.Body.String(), want) || waited != strings.Contains(want, "UNAVAILABLE") {
				t.Errorf("%d bytes: waited %t, got %s", length, waited, w.Body)
			}
		}
	})
}
