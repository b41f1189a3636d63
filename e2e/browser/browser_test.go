// Package browser tests the IDE and pages of other origins in a real browser.
package browser

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"twibase/hbase/hbasetest/minihbase"
)

type report struct {
	Requests  []string
	Errors    []string            // of the console
	Responses map[string]response // by operation
	Plan      string              // of the first operation, as shown
	Report    string
	Event     response // of a subscription, with a token
}

type response struct {
	Data   json.RawMessage
	Errors json.RawMessage
}

func TestTheIDE(t *testing.T) {
	needsBrowser(t)
	gateway := start(t)

	t.Run("examples without a token", func(t *testing.T) {
		report := explore(t, gateway.url)
		checkRequests(t, gateway.url, report)
		checkResponses(t, report)
		contains(t, report, "Followers", `"username":"HanMeimei"`)
		if want := "nodes.twits(first: 3) → 75"; !strings.Contains(report.Plan, want) {
			t.Errorf("the plan lacks %q:\n%s", want, report.Plan)
		}
		if want := regexp.MustCompile(`3\s+twits\s+21\s+3\s+18\b`); !want.MatchString(report.Report) {
			t.Errorf("the report lacks %s:\n%s", want, report.Report)
		}
		contains(t, report, "Moments", `"viewer":null`)
		contains(t, report, "Departments", `"name":"开发1"`)
		contains(t, report, "Games", `"hasPlayed":true`)
	})
	t.Run("examples with a token", func(t *testing.T) {
		report := explore(t, gateway.url, gateway.token(t, "LiLei"))
		checkRequests(t, gateway.url, report)
		checkResponses(t, report)
		contains(t, report, "Moments", `"viewer":{"username":"LiLei"`)
		contains(t, report, "Comments", `"content":"The one with the keyboard is after."`)
		if got := string(report.Event.Data); got != `{"twitPosted":{"content":"news"}}` {
			t.Errorf("got the event %s: %s", got, report.Event.Errors)
		}
	})
}

// needsBrowser skips the test without browser or IDE, or fails it in CI.
func needsBrowser(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("needs a browser: run without -short")
	}
	needs(t, "make build installs it", "../../node_modules/puppeteer-core", "../../graph/playground/dist/index.html")
	needs(t, "make chromium installs it; or set CHROMIUM to your browser's path",
		cmp.Or(os.Getenv("CHROMIUM"), "/usr/bin/chromium"))
}

// needs skips the test if a file is missing, or fails it in CI.
func needs(t *testing.T, remedy string, paths ...string) {
	t.Helper()
	for _, path := range paths {
		if _, err := os.Stat(path); err == nil {
			continue
		}
		minihbase.Missing(t, fmt.Sprintf("%s is missing: %s", path, remedy))
	}
}

// explore runs all examples in the browser, optionally with a token.
func explore(t *testing.T, base string, token ...string) (report report) {
	t.Helper()
	screenshot := filepath.Join(t.ArtifactDir(), "ide.png")
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, "node", append([]string{"explore.mjs", base + "/", screenshot}, token...)...)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	output, err := command.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	if err := json.Unmarshal(output, &report); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	t.Log("the screenshot is ", screenshot)
	return report
}

func checkRequests(t *testing.T, base string, report report) {
	t.Helper()
	for _, message := range report.Errors {
		t.Error("console error: ", message)
	}
	own, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	for _, request := range report.Requests {
		address, err := url.Parse(request)
		if err != nil || address.Host != own.Host && address.Scheme != "data" {
			t.Errorf("request to another origin: %.200s", request)
		}
	}
}

func checkResponses(t *testing.T, report report) {
	t.Helper()
	examples, err := filepath.Glob("../../graph/playground/examples/*.graphql")
	if err != nil {
		t.Fatal(err)
	}
	if len(examples) == 0 || len(report.Responses) != len(examples) {
		t.Errorf("%d examples, but %d responses", len(examples), len(report.Responses))
	}
	for operation, response := range report.Responses {
		if response.Errors != nil || response.Data == nil {
			t.Errorf("%s: data %.200s, errors %s", operation, response.Data, response.Errors)
		}
	}
}

func contains(t *testing.T, report report, operation, text string) {
	t.Helper()
	if data := string(report.Responses[operation].Data); !strings.Contains(data, text) {
		t.Errorf("the response to %s lacks %s: %.500s", operation, text, data)
	}
}
