//go:build linux

package kill

import (
	"encoding/json"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"twibase/hbase/hbasetest/minihbase"
)

func TestGatewayOutlivesReaderOfItsLog(t *testing.T) {
	minihbase.Slow(t)
	gateway := exec.CommandContext(t.Context(), binary, "serve", "--store", "embedded:", "--listen", "127.0.0.1:0",
		"--drain-delay", "0s")
	log, err := gateway.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := gateway.Start(); err != nil {
		t.Fatal(err)
	}
	ready := struct{ URL string }{}
	for lines := json.NewDecoder(log); ready.URL == ""; {
		if err := lines.Decode(&ready); err != nil {
			t.Fatal(err)
		}
	}
	log.Close()
	for i := range 100 {
		if status, err := get(ready.URL + "/graphql?query={__typename}"); err != nil || status != 200 {
			t.Fatalf("after %d requests: status %d, %v", i, status, err)
		}
	}
	response, err := httpClient.Get(ready.URL + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if text, err := io.ReadAll(response.Body); !strings.Contains(string(text), "\ntwibase_loader_fallbacks_total 0\n") {
		t.Errorf("the loaders' watchdog failed responses, or /metrics is incomplete: %v", err)
	}
	if err := gateway.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := gateway.Wait(); err != nil {
		t.Error("the gateway exited with ", err)
	}
}
