package browser

import (
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"twibase/e2e/loadtest"
)

type gateway struct {
	url    string
	binary string
	secret string // file
}

func start(t *testing.T, args ...string) *gateway {
	t.Helper()
	binary, err := loadtest.Program()
	if err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(t.TempDir(), "jwt.secret")
	if err := os.WriteFile(secret, []byte(strings.Repeat("browser.", 8)), 0o600); err != nil {
		t.Fatal(err)
	}
	args = append([]string{"serve", "--listen", "127.0.0.1:0", "--metrics-listen", "127.0.0.1:0", "--store", "embedded:",
		"--jwt-secret-file", secret}, args...)
	g, err := loadtest.Start(context.Background(), binary, args...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		checkWatchdog(t, g.MetricsURL)
		_ = g.Stop()
	})
	return &gateway{url: g.URL, binary: binary, secret: secret}
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

func (g *gateway) token(t *testing.T, username string) string {
	t.Helper()
	output, err := exec.Command(g.binary, "token", username, "--jwt-secret-file", g.secret).Output()
	if err != nil {
		t.Fatal("twibase token: ", err)
	}
	lines := strings.Split(strings.TrimSpace(string(output)), "\n")
	return lines[len(lines)-1]
}
