// Package clients tests a running server with GraphQL clients of other projects.
package clients

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"twibase/graph/auth"
	"twibase/hbase/hbasetest/minihbase"
)

var secret = strings.Repeat("clients.", 8)

func startWithNode(t *testing.T) (url, token string) {
	t.Helper()
	for _, module := range []string{"graphql-http", "graphql-ws", "graphql-sse", "ws"} {
		if _, err := os.Stat(filepath.Join("../../node_modules", module)); err == nil {
			continue
		}
		minihbase.Missing(t, fmt.Sprintf("npm's %s is missing: make build installs it", module))
	}
	s := start(t)
	token, _, err := s.signer(t, auth.Lifetime).Sign(auth.Viewer{Username: "LiLei"})
	if err != nil {
		t.Fatal(err)
	}
	return s.url, token
}

func checkWatchdog(t *testing.T, url string) {
	t.Helper()
	response, err := http.Get(url + "/metrics")
	if err != nil {
		t.Error("reading the metrics: ", err)
		return
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if !strings.Contains(string(text), "\ntwibase_loader_fallbacks_total 0\n") {
		t.Errorf("the loaders' watchdog failed responses, or /metrics is incomplete: %v\n%s", err, text)
	}
}

func node(t *testing.T, args ...string) []byte {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, "node", args...)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	output, err := command.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	return output
}

func TestServerFollowsTheProtocolsOfClients(t *testing.T) {
	url, token := startWithNode(t)
	t.Run("audits of GraphQL over HTTP", func(t *testing.T) { audit(t, url) })
	t.Run("subscriptions of graphql-ws and graphql-sse", func(t *testing.T) { subscribe(t, url, token) })
	t.Run("introspection equals the SDL", func(t *testing.T) { introspect(t, url) })
	t.Run("@defer and @stream without incremental delivery", func(t *testing.T) { incremental(t, url, token) })
	t.Run("graphql-ws and graphql-sse lose no event when tokens expire", func(t *testing.T) { renew(t, url) })
}

// The token of each subscription expires at least twice.
func renew(t *testing.T, url string) {
	var report struct {
		Heard    map[string][]string
		Connects map[string]int
		Closed   []string
		Failed   map[string]string
	}
	text := node(t, "renew.mjs", url, secret, "LiLei", "HanMeimei")
	if err := json.Unmarshal(text, &report); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	want := make([]string, 200)
	for i := range want {
		want[i] = fmt.Sprintf("post %03d", i)
	}
	for _, client := range []string{"ws", "sse", "single"} {
		if report.Connects[client] < 3 {
			t.Errorf("%s connected %d times, want at least 3", client, report.Connects[client])
		}
		for _, subscription := range []string{client, client + " timeline"} {
			if strings.HasSuffix(subscription, "timeline") {
				slices.Sort(report.Heard[subscription]) // a fan-out may deliver a newer twit first
			}
			if diff := cmp.Diff(want, report.Heard[subscription]); diff != "" || report.Failed[subscription] != "" {
				t.Errorf("%s: failed with %q; received (-want +got):\n%s", subscription, report.Failed[subscription], diff)
			}
		}
	}
	for _, closed := range report.Closed {
		if closed != "4403 Token expired" {
			t.Errorf("a WebSocket was closed with %s", closed)
		}
	}
	t.Logf("connections: %v", report.Connects)
}

func audit(t *testing.T, url string) {
	audits, ok := 0, 0
	for line := range bytes.Lines(node(t, "audit.mjs", url)) {
		var result struct{ ID, Name, Status, Reason string }
		if err := json.Unmarshal(line, &result); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		audits++
		if result.Status == "ok" {
			ok++
		} else {
			t.Errorf("%s %s: %s: %s", result.ID, result.Name, result.Status, result.Reason)
		}
	}
	t.Logf("%d of %d audits passed", ok, audits)
	if audits != 61 {
		t.Errorf("got %d audits, want 61", audits)
	}
}

func subscribe(t *testing.T, url, token string) {
	var report struct {
		Viewer   json.RawMessage
		Rejected []struct{ Extensions struct{ Code string } }
		Heard    map[string]struct {
			Data struct {
				TwitPosted struct {
					Content string
					Author  struct{ Username string }
				}
			}
		}
		Closed map[string]string
	}
	text := node(t, "subscribe.mjs", url, token, "LiLei")
	if err := json.Unmarshal(text, &report); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if string(report.Viewer) != `{"data":{"viewer":{"username":"LiLei"}}}` || len(report.Rejected) != 1 ||
		report.Rejected[0].Extensions.Code != "BAD_USER_INPUT" {
		t.Errorf("%s", text)
	}
	for _, client := range []string{"ws", "sse", "single"} {
		if twit := report.Heard[client].Data.TwitPosted; !strings.HasPrefix(twit.Content, "news ") ||
			twit.Author.Username != "LiLei" {
			t.Errorf("%s: %s", client, text)
		}
	}
	for what, want := range map[string]string{
		"token":    "4403 Invalid token",
		"protocol": "4406 Subprotocol not acceptable: this server speaks graphql-transport-ws",
		"early":    "4401 Unauthorized: send connection_init first, and wait for connection_ack",
	} {
		if report.Closed[what] != want {
			t.Errorf("%s: closed with %q, want %q", what, report.Closed[what], want)
		}
	}
}
