package command

import (
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"
)

func TestConfigIsReloaded(t *testing.T) {
	file := configured(t, "log-level: info\n")
	url, log := started(t, "--config", file)
	reload := func(text, message string) map[string]any {
		t.Helper()
		replaceFile(t, file, text)
		if err := syscall.Kill(os.Getpid(), syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		return log.await(t, message)
	}
	const reloaded = "the configuration was reloaded"
	ask := func(origin string) (body string, header http.Header) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/graphql",
			strings.NewReader(`{"query":"{a:__typename b:__typename}"}`))
		if err == nil {
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Origin", origin)
		}
		_, body, header = fetch(t, r, err)
		return body, header
	}
	const origin, whole = "https://a.example", `{"data":{"a":"Query","b":"Query"}}`
	if body, header := ask(origin); strings.TrimSpace(body) != whole || header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("before: %s, %v", body, header)
	}
	line := reload("limit: {root-fields: 1}\ncors: ["+origin+"]\ncors-headers: [X-A]\ndrain-delay: 1s\n"+
		"trusted-proxies: [10.0.0.0/8]\nlog-level: debug\n", reloaded)
	want := []any{"--cors", "--cors-headers", "--drain-delay", "--limit", "--log-level", "--trusted-proxies"}
	if diff := cmp.Diff(want, line["changed"]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if level := zerolog.GlobalLevel(); level != zerolog.DebugLevel {
		t.Errorf("the log has level %v", level)
	}
	if body, header := ask(origin); !strings.Contains(body, "LIMIT_EXCEEDED") ||
		header.Get("Access-Control-Allow-Origin") != origin {
		t.Errorf("after: %s, %v", body, header)
	}
	line = reload("limit: {root-fields: one}\n", "the configuration cannot be reloaded; the previous one stays in use")
	if text, _ := line["error"].(string); !strings.Contains(text, file+":1: limit: ") {
		t.Errorf("a broken file is logged as %v", line)
	}
	if body, _ := ask(origin); !strings.Contains(body, "LIMIT_EXCEEDED") {
		t.Errorf("after a broken file: %s", body)
	}
	expectMetrics := func(lines ...string) {
		t.Helper()
		_, metrics := send(t, http.MethodGet, url+"/metrics", "")
		for _, line := range lines {
			if !strings.Contains(metrics, "\n"+line+"\n") {
				t.Errorf("/metrics lacks %s", line)
			}
		}
	}
	expectMetrics("twibase_config_reload_failures_total 1", `twibase_reload_failing{flag="config"} 1`)
	if line = reload("fanout-limit: 5\n", "a changed flag needs a restart"); line["flag"] != "--fanout-limit" {
		t.Errorf("a flag that needs a restart is logged as %v", line)
	}
	log.await(t, reloaded)
	expectMetrics("twibase_config_reload_failures_total 1", `twibase_reload_failing{flag="config"} 0`)
	if body, header := ask(origin); strings.TrimSpace(body) != whole || header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("without the keys: %s, %v", body, header)
	}
}

// The server fetches keys when SIGHUP arrives.
func TestReloadDuringTheStartIsNotLost(t *testing.T) {
	file := configured(t, "cors: [https://a.example]\n")
	keys := newSigner(t, "a").set()
	var first sync.Once
	issuer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		first.Do(func() {
			replaceFile(t, file, "cors: [https://b.example]\n")
			if err := syscall.Kill(os.Getpid(), syscall.SIGHUP); err != nil {
				t.Error(err)
			}
			time.Sleep(100 * time.Millisecond) // a signal arrives later
		})
		_, _ = w.Write(keys)
	}))
	defer issuer.Close()
	log := starting(t, "--config", file, "--jwks", issuer.URL, "--jwt-issuer", "https://id.example",
		"--jwt-audience", "twibase")
	line := log.await(t, "the configuration was reloaded") // maybe before the server is ready
	if diff := cmp.Diff([]any{"--cors"}, line["changed"]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestReloadedFlagsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../docs/OPERATIONS.md")
	if err != nil {
		t.Fatal(err)
	}
	paragraph := regexp.MustCompile(`(?s)SIGHUP reloads the file: (.*?)\.`).FindStringSubmatch(string(text))
	if paragraph == nil {
		t.Fatal("docs/OPERATIONS.md lacks the list of reloaded flags")
	}
	var documented, tagged []string
	for _, match := range regexp.MustCompile("`--([a-z-]+)`").FindAllStringSubmatch(paragraph[1], -1) {
		documented = append(documented, match[1])
	}
	_ = kong.Visit(modelOf(t), func(node kong.Visitable, next kong.Next) error {
		if flag, ok := node.(*kong.Flag); ok && flag.Tag.Has("reload") {
			tagged = append(tagged, flag.Name)
		}
		return next(nil)
	})
	slices.Sort(documented)
	slices.Sort(tagged)
	if diff := cmp.Diff(tagged, documented); diff != "" {
		t.Errorf("(-tagged +documented):\n%s", diff)
	}
}
