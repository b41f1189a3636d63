//go:build linux

package kill

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"twibase/hbase/hbasetest/minihbase"
)

func TestTerminatedGatewayDrains(t *testing.T) {
	minihbase.Slow(t)
	f := newFixture(t, "embedded:"+t.TempDir(), 1, 1, *seed)
	f.start(t)
	g := f.gateways[0]
	const body = `{"query":"{user(username:\"star\"){name}}"}`
	begin := func(header, body string) (net.Conn, *bufio.Reader) {
		c, err := net.Dial("tcp", g.address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		if err := c.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
			t.Fatal(err)
		}
		header = "POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n" + header
		if _, err := io.WriteString(c, header+"\r\n"+body); err != nil {
			t.Fatal(err)
		}
		return c, bufio.NewReader(c)
	}
	receive := func(r *bufio.Reader) (int, string) {
		response, err := http.ReadResponse(r, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil {
			t.Error(err)
		}
		return response.StatusCode, string(text)
	}
	half := len(body) / 2
	running, response := begin(fmt.Sprintf("Content-Length: %d\r\n", len(body)), body[:half])
	subscription := `{"query":"subscription{twitPosted(username:\"star\"){id}}"}`
	_, events := begin(fmt.Sprintf("Accept: text/event-stream\r\nContent-Length: %d\r\n", len(subscription)), subscription)
	if status, err := http.ReadResponse(events, nil); err != nil || status.StatusCode != http.StatusOK {
		t.Fatal("subscribing: ", status, err)
	} else {
		events = bufio.NewReader(status.Body)
	}
	for g.metric(t, "twibase_subscription_subscribers") != 1 {
		time.Sleep(10 * time.Millisecond)
	}

	g.checkWatchdog(t)
	begun := time.Now()
	if err := g.process.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	t.Run("ends subscriptions", func(t *testing.T) {
		if text, err := io.ReadAll(events); err != nil {
			t.Errorf("%q, %v", text, err)
		}
	})
	t.Run("is not ready while requests run", func(t *testing.T) {
		if status, err := get("http://" + g.address + "/readyz"); err != nil || status != http.StatusServiceUnavailable {
			t.Errorf("status %d, %v", status, err)
		}
	})
	t.Run("rejects new requests", func(t *testing.T) {
		_, r := begin(fmt.Sprintf("Content-Length: %d\r\n", len(body)), body)
		if status, text := receive(r); status != http.StatusServiceUnavailable || !strings.Contains(text, `"UNAVAILABLE"`) {
			t.Errorf("status %d: %s", status, text)
		}
	})
	t.Run("finishes running requests", func(t *testing.T) {
		if _, err := io.WriteString(running, body[half:]); err != nil {
			t.Fatal(err)
		}
		if status, text := receive(response); status != http.StatusOK || !strings.Contains(text, "Star") {
			t.Errorf("status %d: %s", status, text)
		}
	})
	t.Run("exits with status 0", func(t *testing.T) {
		select {
		case <-g.exited:
			if status := g.process.ProcessState.ExitCode(); status != 0 {
				t.Errorf("status %d: %s", status, g.logTail())
			}
			t.Logf("it exited after %v", time.Since(begun).Round(time.Millisecond))
		case <-time.After(20 * time.Second):
			t.Error("it has not exited after 20 s")
		}
	})
}
