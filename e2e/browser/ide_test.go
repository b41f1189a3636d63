package browser

import (
	"bytes"
	"context"
	"encoding/json"
	"net/url"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

type session struct {
	Requests     []string
	Errors       []string
	Examples     []example
	Inaccessible []string // violations of WCAG
	Keyboard     struct{ First, Second, Hint string }
	Narrow       struct {
		Width   int
		Outside []string
	}
	Explained   []string // the fields of a plan without an execution
	WithoutCost struct {
		Plan, Report bool
		Figures      string
	}
	Viewers struct {
		Invalid               string
		Unauthenticated, User []any // the name at the top, and the viewer
		Failed                any   // the viewer after a request without a token
		Offered               []string
	}
	Built      bool
	Prettified []string // a query and its variables
	Shared     struct {
		Link, Address, Ran, Later, Copied, NotCopied, Curl, CurlAsUser string

		Sent map[string]string
	}
}

func TestIDERunsExamplesAndIsAccessible(t *testing.T) {
	needsBrowser(t)
	gateway := start(t, "--dev-tokens")
	var s session
	node(t, &s, "explore.mjs", gateway.url+"/", t.ArtifactDir())

	t.Run("it needs no other server", func(t *testing.T) { checkRequests(t, gateway.url, s.Requests, s.Errors) })
	t.Run("examples", func(t *testing.T) { checkExamples(t, s.Examples) })
	t.Run("the additions to GraphiQL are accessible, in both colour schemes", func(t *testing.T) {
		for _, violation := range s.Inaccessible {
			t.Error(violation)
		}
	})
	t.Run("the arrow keys move through the rows, and show hints", func(t *testing.T) {
		if !strings.HasPrefix(s.Keyboard.First, "Round 1, embedded: ") ||
			!strings.HasPrefix(s.Keyboard.Second, "Round 1, followers: ") {
			t.Errorf("reached %q and %q", s.Keyboard.First, s.Keyboard.Second)
		}
		for _, want := range []string{"Loader\nfollowers", "Tables\nfollows, users", "Keys\n1, 0 requested before"} {
			if !strings.Contains(s.Keyboard.Hint, want) {
				t.Errorf("the hint lacks %q: %q", want, s.Keyboard.Hint)
			}
		}
	})
	t.Run("it fits in 420 pixels", func(t *testing.T) {
		if s.Narrow.Width != 420 || len(s.Narrow.Outside) > 0 {
			t.Errorf("the page is %d pixels wide; outside are %q", s.Narrow.Width, s.Narrow.Outside)
		}
	})
	t.Run("a plan without an execution", func(t *testing.T) {
		if !slices.Contains(s.Explained, "user.followers.edges.node.followers.nodes.twits") {
			t.Errorf("got the fields %q", s.Explained)
		}
	})
	t.Run("without the cost it requests no plan or report, but shows time and size", func(t *testing.T) {
		w := s.WithoutCost
		if w.Plan || w.Report || !strings.HasPrefix(w.Figures, "Response") || !strings.Contains(w.Figures, "Size") ||
			strings.Contains(w.Figures, "Rounds") {
			t.Errorf("%+v", w)
		}
	})
	t.Run("the viewer applies to all tabs, and after a reload", func(t *testing.T) {
		v := s.Viewers
		if diff := cmp.Diff([]any{"", nil}, v.Unauthenticated); diff != "" {
			t.Errorf("unauthenticated (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]any{"Lucy", "Lucy"}, v.User); diff != "" {
			t.Errorf("user (-want +got):\n%s", diff)
		}
		if v.Failed != "Lucy" {
			t.Errorf("after a request without a token the viewer is %v", v.Failed)
		}
		if !strings.HasPrefix(v.Invalid, "cannot act as no name: ") || !slices.Contains(v.Offered, "LiLei") {
			t.Errorf("%+v", v)
		}
	})
	t.Run("the query builder adds a field", func(t *testing.T) {
		if !s.Built {
			t.Error("it did not")
		}
	})
	t.Run("it formats the query and the variables", func(t *testing.T) {
		query := "query ($n: Int!) {\n  games(first: $n) {\n    nodes {\n      code\n    }\n  }\n}\n"
		if diff := cmp.Diff([]string{query, "{\n  \"n\": 1\n}\n"}, s.Prettified); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
	t.Run("a link opens the operation, and is copied", func(t *testing.T) {
		if got := s.Shared; got.Copied != got.Link || got.Ran != "B" || got.Address != gateway.url+"/" {
			t.Errorf("copied %s of %s; ran %s; the address is %s", got.Copied, got.Link, got.Ran, got.Address)
		}
	})
	t.Run("the operation of a link is not that of another tab", func(t *testing.T) {
		if s.Shared.Later != "Followers" {
			t.Errorf("requested the plan of %q", s.Shared.Later)
		}
	})
	t.Run("invalid variables are not copied as curl", func(t *testing.T) {
		if got := s.Shared.NotCopied; !strings.HasPrefix(got, "Not copied: Variables are invalid JSON: ") {
			t.Error(got)
		}
	})
	t.Run("a copied command has no token", func(t *testing.T) {
		if got := s.Shared.CurlAsUser; !strings.Contains(got, `-H "Authorization: Bearer $TOKEN"`) || strings.Contains(got, "eyJ") {
			t.Error(got)
		}
	})
	t.Run("curl sends the operation", func(t *testing.T) { checkCurl(t, gateway.url, s.Shared.Curl, s.Shared.Sent) })
}

func checkCurl(t *testing.T, gateway, command string, sent map[string]string) {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), "bash", "-c", `curl() { printf '%s\0' "$@"; }; `+command).Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, command)
	}
	args := strings.Split(strings.TrimSuffix(string(output), "\x00"), "\x00")
	want := []string{gateway + "/graphql", "-H", "Content-Type: application/json", "-d"}
	if diff := cmp.Diff(want, args[:len(args)-1]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var body struct {
		Query, OperationName string
		Variables            json.RawMessage
	}
	if err := json.Unmarshal([]byte(args[len(args)-1]), &body); err != nil {
		t.Fatalf("%v\n%s", err, command)
	}
	got := map[string]string{"query": body.Query, "variables": string(body.Variables), "operationName": body.OperationName}
	if diff := cmp.Diff(sent, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The gateway has no --dev-tokens.
func TestTokenFieldSetsTheViewer(t *testing.T) {
	needsBrowser(t)
	gateway := start(t)
	var got struct {
		Requests, Errors         []string
		Viewer, Reloaded, Tab    any
		ActAs                    bool
		InBrowser, AnotherWindow string
	}
	token := gateway.token(t, "LiLei")
	node(t, &got, "token.mjs", gateway.url+"/", token, gateway.token(t, "Lucy"))
	checkRequests(t, gateway.url, got.Requests, got.Errors)
	if got.Viewer != "LiLei" || got.Reloaded != "LiLei" || got.Tab != "Lucy" {
		t.Errorf("the viewer is %v, after a reload %v; in a tab with a header for Lucy %v", got.Viewer, got.Reloaded, got.Tab)
	}
	if got.ActAs || got.AnotherWindow != "" || strings.Contains(got.InBrowser, token) {
		t.Errorf("acts as others: %t; the token of another window is %q; the browser keeps %.300s",
			got.ActAs, got.AnotherWindow, got.InBrowser)
	}
}

func node(t *testing.T, into any, script string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, "node", append([]string{script}, args...)...)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	output, err := command.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	if err := json.Unmarshal(output, into); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
}

func checkRequests(t *testing.T, base string, requests, errors []string) {
	t.Helper()
	own, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	for _, message := range errors {
		t.Error("console error: ", message)
	}
	for _, request := range requests {
		address, err := url.Parse(request)
		if err != nil || address.Host != own.Host && address.Scheme != "data" {
			t.Errorf("request to another origin: %.200s", request)
		}
	}
}

func exampleCount(t *testing.T) int {
	t.Helper()
	files, err := filepath.Glob("../../graph/playground/examples/*.graphql")
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	return len(files)
}
