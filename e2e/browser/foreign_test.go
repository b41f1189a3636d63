package browser

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestPageOfAnotherOriginReadsNothing(t *testing.T) {
	needsBrowser(t)
	foreign := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write([]byte("<!doctype html><title>foreign</title><body>"))
	}))
	defer foreign.Close()

	for _, test := range []struct {
		name string
		args []string
		want map[string]string
	}{
		{"not listed: no response, no WebSocket, no IDE in a frame", nil,
			map[string]string{"json": "blocked", "text": "blocked", "blind": "opaque", "socket": "blocked", "frame": "blocked"}},
		{"listed: responses to JSON requests, no IDE in a frame", []string{"--cors", foreign.URL},
			map[string]string{"json": `{"data":{"__typename":"Query"}}`, "socket": "open", "blind": "opaque", "frame": "blocked",
				"text": `{"errors":[{"message":"send the request as Content-Type: application/json","extensions":{"code":"BAD_USER_INPUT"}}]}` + "\n"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			gateway := start(t, test.args...)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			output, err := exec.CommandContext(ctx, "node", "foreign.mjs", foreign.URL, gateway.url,
				gateway.token(t, "LiLei")).Output()
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]string{}
			if err := json.Unmarshal(output, &got); err != nil {
				t.Fatalf("%v\n%s", err, output)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
