// Package browser holds the test that opens the IDE in a real browser.
package browser

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// report is what explore.mjs prints.
type report struct {
	Requests   []string
	Complaints []string
	Answers    map[string]answer // by operation
	Plan       string            // of the first, as the IDE shows it
	Report     string
	Heard      answer // by whoever has a token, of a subscription
}

type answer struct {
	Data   json.RawMessage
	Errors json.RawMessage
}

func TestTheIDE(t *testing.T) {
	needsBrowser(t)
	gateway := start(t)

	t.Run("a stranger's examples are answered, and nobody but the gateway is asked for anything", func(t *testing.T) {
		report := explore(t, gateway.url)
		checkRequests(t, gateway.url, report)
		checkAnswers(t, report)
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
	t.Run("a token in the headers makes somebody of the stranger", func(t *testing.T) {
		report := explore(t, gateway.url, gateway.token(t, "LiLei"))
		checkRequests(t, gateway.url, report)
		checkAnswers(t, report)
		contains(t, report, "Moments", `"viewer":{"username":"LiLei"`)
		contains(t, report, "Comments", `"content":"The one with the keyboard is after."`)
		if got := string(report.Heard.Data); got != `{"twitPosted":{"content":"news"}}` {
			t.Errorf("the subscription heard %s: %s", got, report.Heard.Errors)
		}
	})
}

// needsBrowser skips the test, or fails it, where there is no browser or no IDE.
func needsBrowser(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("needs a browser: run without -short")
	}
	needs(t, "make build installs it", "../../node_modules/puppeteer-core", "../../graph/playground/dist/index.html")
	needs(t, "make chromium installs it; or set CHROMIUM to your browser's path", cmp.Or(os.Getenv("CHROMIUM"), "/usr/bin/chromium"))
}

// needs skips the test if one of the files is missing, and fails it where the variable CI is set.
func needs(t *testing.T, remedy string, paths ...string) {
	t.Helper()
	for _, path := range paths {
		if _, err := os.Stat(path); err == nil {
			continue
		}
		if os.Getenv("CI") != "" {
			t.Fatalf("%s is missing: %s", path, remedy)
		}
		t.Skipf("%s is missing: %s", path, remedy)
	}
}

// explore runs every example in the browser, with the token if one is given, and returns what the browser saw.
func explore(t *testing.T, base string, token ...string) (report report) {
	t.Helper()
	screenshot := filepath.Join(t.ArtifactDir(), "ide.png")
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, "node", append([]string{"explore.mjs", base + "/", screenshot}, token...)...)
	var complaint bytes.Buffer
	command.Stderr = &complaint
	output, err := command.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, &complaint)
	}
	if err := json.Unmarshal(output, &report); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	t.Log("the screenshot is ", screenshot)
	return report
}

func checkRequests(t *testing.T, base string, report report) {
	t.Helper()
	for _, complaint := range report.Complaints {
		t.Error("the browser complains: ", complaint)
	}
	own, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	for _, request := range report.Requests {
		asked, err := url.Parse(request)
		if err != nil || asked.Host != own.Host && asked.Scheme != "data" {
			t.Errorf("the page asked another than the gateway: %.200s", request)
		}
	}
}

// checkAnswers wants an answer for every example, and no error in any.
func checkAnswers(t *testing.T, report report) {
	t.Helper()
	examples, err := filepath.Glob("../../graph/playground/examples/*.graphql")
	if err != nil {
		t.Fatal(err)
	}
	if len(examples) == 0 || len(report.Answers) != len(examples) {
		t.Errorf("there are %d examples, and %d answers", len(examples), len(report.Answers))
	}
	for operation, answer := range report.Answers {
		if answer.Errors != nil || answer.Data == nil {
			t.Errorf("%s: the data is %.200s, the errors are %s", operation, answer.Data, answer.Errors)
		}
	}
}

func contains(t *testing.T, report report, operation, text string) {
	t.Helper()
	if data := string(report.Answers[operation].Data); !strings.Contains(data, text) {
		t.Errorf("the answer to %s lacks %s: %.500s", operation, text, data)
	}
}
