package clients

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"twibase/hbase/hbasetest/minihbase"
)

const generated = "__generated__"

// commented has six comments. The newest four are hidden from the viewers.
const commented = "VOWwj-e6ogB___5qZsD2_3hpYW9ob25nLTI"

type javascript struct {
	folder string
	build  [][]string
	script string
	viewer string
	other  string // whom the viewer does not follow
	pages  [][]string
	class  string
	// deferred is the number of incremental handlers, or 0 without @defer.
	deferred int
}

var bundle = []string{"node", "../build.mjs", "main.ts", "__generated__/main.mjs"}

var (
	apollo = javascript{
		folder: "apollo", script: "main.mjs", viewer: "Jim", other: "UncleWang", class: "CombinedGraphQLErrors",
		pages: [][]string{{"Kate"}, {"Jim"}, {}, {"明天还开吗？"}}, deferred: 2,
	}
	urql = javascript{
		folder: "urql", script: "main.mjs", viewer: "Kate", other: "小黑", class: "CombinedError",
		pages: [][]string{{"Kate"}, {"Jim"}, {}, {}},
	}
	relay = javascript{
		folder: "relay", script: "__generated__/main.mjs", viewer: "Lily", other: "LinTao", class: "RelayNetwork",
		build: [][]string{{"relay-compiler"}, {"node", "build.mjs", "__generated__/main.mjs"}},
		pages: [][]string{{"Lily"}, {"Jim"}, {}, {}}, deferred: 1,
	}
	relayTypeScript = javascript{folder: "relay-typescript", build: [][]string{{"relay-compiler"}}} // only compiled
	tada            = javascript{
		folder: "tada", script: "__generated__/main.mjs", viewer: "Guo.Jun", other: "小明", class: "CombinedGraphQLErrors",
		build: [][]string{{"gql.tada", "generate-output"}, bundle},
		pages: [][]string{{"Guo.Jun"}, {}, {}, {"明天还开吗？"}},
	}
	codegen = javascript{
		folder: "codegen", script: "__generated__/main.mjs", viewer: "Lucy", other: "LinTao", class: "CombinedError",
		build: [][]string{{"graphql-codegen", "--config", "codegen.ts"}, bundle},
		pages: [][]string{{}, {"明天还开吗？"}},
	}
)

func TestJavaScriptClientsQueryAndSubscribe(t *testing.T) {
	if testing.Short() {
		t.Skip("builds bundles: run without -short")
	}
	t.Parallel()
	if _, err := os.Stat("node_modules/.package-lock.json"); err != nil {
		minihbase.Missing(t,
			"npm's packages are missing: make e2e/clients/node_modules/.package-lock.json installs them")
	}
	s := startUnreadable(t)
	s.writeSchema(t)
	clients := []javascript{apollo, urql, relay, tada}
	for _, c := range clients {
		s.comment(t, c.viewer, commented)
	}
	for _, c := range append(clients, relayTypeScript, codegen) {
		c.make(t)
	}
	t.Run("types are checked", func(t *testing.T) {
		t.Parallel()
		run(t, ".", "node_modules/.bin/tsc")
	})
	t.Run("gql.tada finds an unknown field", unknownField)
	for _, c := range clients {
		t.Run(c.folder, func(t *testing.T) {
			t.Parallel()
			c.check(t, s)
		})
	}
	t.Run("codegen", func(t *testing.T) {
		t.Parallel()
		manifest := filepath.Join("codegen", generated, "persisted-documents.json")
		codegen.check(t, start(t, "--production", "--documents", manifest))
	})
}

func unknownField(t *testing.T) {
	t.Parallel()
	command := exec.CommandContext(t.Context(), "../node_modules/.bin/gql.tada", "check")
	command.Dir, command.WaitDelay = "tada", time.Second
	output, err := command.CombinedOutput()
	for _, want := range []string{`Cannot query field "text" on type "Twit".`, "1 problems"} {
		if err == nil || !strings.Contains(string(output), want) {
			t.Errorf("%v, without %q: %s", err, want, output)
		}
	}
}

func (c javascript) make(t *testing.T) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(c.folder, generated), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, command := range c.build {
		program := command[0]
		if program != "node" {
			program = "../node_modules/.bin/" + program
		}
		run(t, c.folder, program, command[1:]...)
	}
}

func (s server) writeSchema(t *testing.T) {
	t.Helper()
	response, err := http.Get(strings.TrimSuffix(s.url, "/graphql") + "/schema.graphql")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err == nil {
		err = os.MkdirAll(generated, 0o755)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(generated, "schema.graphql"), text, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func (s server) comment(t *testing.T, username, twit string) {
	t.Helper()
	response, err := http.Get(s.tokens(t, username))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	token, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(map[string]any{
		"query":     `mutation($input: AddCommentInput!) { addComment(input: $input) { userErrors { message } } }`,
		"variables": map[string]any{"input": map[string]string{"twitId": twit, "content": username}},
	})
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+string(token))
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, `{"data":{"addComment":{"userErrors":[]}}}`, strings.TrimSpace(string(text)))
}
