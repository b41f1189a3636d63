package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	gatewaypkg "twibase/gateway"
	"twibase/graph/limits"
	"twibase/sample"
	"twibase/transfer"
)

func TestGreedyAddressDoesNotAffectOthers(t *testing.T) {
	store := inMemory(t)
	if _, err := transfer.EnsureTables(t.Context(), store, 1); err != nil {
		t.Fatal(err)
	}
	if err := sample.Load(t.Context(), store); err != nil {
		t.Fatal(err)
	}
	const perSecond, others = 20, 20
	g := gatewaypkg.New(store, gatewaypkg.Config{
		RowsPerSecond: perSecond, Limits: limits.Default(), Concurrency: 4,
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")},
	})
	send := func(address string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodPost, "/graphql", strings.NewReader(`{"query":"{users(first:5){nodes{username}}}"}`))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-Forwarded-For", address)
		w := httptest.NewRecorder()
		g.Public.ServeHTTP(w, r)
		return w
	}
	begun, answered, rejected := time.Now(), 0, 0
	for i := range others {
		for range 10 {
			switch w := send("203.0.113.1"); w.Code {
			case http.StatusOK:
				answered++
			case http.StatusTooManyRequests:
				rejected++
				var body struct {
					Errors []struct {
						Extensions struct {
							Code         string
							RetryAfterMs float64
						}
					}
				}
				if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil || len(body.Errors) != 1 ||
					body.Errors[0].Extensions.Code != "LIMIT_EXCEEDED" || body.Errors[0].Extensions.RetryAfterMs < 1 {
					t.Errorf("rejected with %s: %v", w.Body, err)
				}
			default:
				t.Fatalf("status %d: %s", w.Code, w.Body)
			}
		}
		address := fmt.Sprint("198.51.100.", i)
		if w := send(address); w.Code != http.StatusOK || strings.Contains(w.Body.String(), "errors") {
			t.Errorf("%s: status %d: %s", address, w.Code, w.Body)
		}
	}
	const rows, burst = 5, 10 * perSecond // and the page may need a row more
	most := (burst+perSecond*int(time.Since(begun).Seconds()+1))/rows + 1
	if answered < burst/(rows+1) || answered > most || rejected == 0 {
		t.Errorf("the abuser got %d responses, of at most %d, and %d rejections", answered, most, rejected)
	}
}
