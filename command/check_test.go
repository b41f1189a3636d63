package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDocumentsCheckFailsAboveBaselineOrMaximum(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const query = `query Q($n: Int = 5) { user(username: "x") { followers(first: $n) { nodes { name } } } }`
	good := put("good/q.graphql", query)
	larger := put("larger/q.graphql", strings.Replace(query, "{ name }", "{ name twits(first: 1) { nodes { id } } }", 1))
	invalid := put("invalid/q.graphql", strings.Replace(query, "{ name }", "{ nme }", 1))
	status, baseline, stderr := command(t, "documents", "check", "--format", "json", good)
	if status != 0 || stderr != "" {
		t.Fatalf("status %d: %s", status, stderr)
	}
	costs := put("costs.json", baseline)
	broken, empty := put("broken.json", "{"), filepath.Join(dir, "empty")
	if err := os.Mkdir(empty, 0o700); err != nil {
		t.Fatal(err)
	}
	const row = "operation  rounds  RPCs  rows  objects\n"
	for _, test := range []struct {
		name, args     string
		status         int
		stdout, stderr string // beginning, or all if empty
	}{
		{"valid documents", good, 0, row + "query Q         2     2   101      101\n\n1 operation: valid and within limits\n", ""},
		{"several paths", good + " " + filepath.Join(dir, "larger"), 0, row + "query Q ", ""},
		{"a given variable", `--variables {"n":5} ` + good, 0, row + "query Q         2     2     6        6\n", ""},
		{"a maximum that is met", "--max rows=101,rpcs=2 " + good, 0, row, ""},
		{"a maximum that is exceeded", "--max rows=100 " + good, statusFailed, row,
			"twibase: 1 of 1 operation is rejected, or costs more than allowed\n"},
		{"the baseline", "--baseline " + costs + " " + good, 0, row, ""},
		{"more than the baseline", "--baseline " + costs + " " + larger, statusFailed, "operation  rounds",
			"twibase: 1 of 1 operation is rejected, or costs more than allowed\n"},
		{"more than the baseline, less than the maximum", "--baseline " + costs + " --max rows=1000 " + larger, 0,
			"operation  rounds", ""},
		{"an invalid document", invalid, statusFailed, "operation  rounds", "twibase: 1 of 1 operation is rejected"},
		{"a syntax error", put("syntax/q.graphql", "{ a("), statusFailed, "",
			"twibase: " + filepath.Join(dir, "syntax/q.graphql") + " is no GraphQL document: 1:5: Expected Name, found <EOF>\n"},
		{"Markdown", "--format markdown " + good, 0, "### Cost of GraphQL operations\n", ""},
		{"a limit", "--limit rows=100 " + good, statusFailed, row, "twibase: 1 of 1 operation is rejected"},
		{"an unknown limit", "--limit row=1 " + good, statusUsage, "", `twibase: documents check: there is no limit "row"`},
		{"an unknown figure", "--max row=1 " + good, statusUsage, "", `twibase: documents check: --max: there is no figure "row"`},
		{"an unknown format", "--format xml " + good, statusUsage, "", "twibase: --format must be one of"},
		{"variables that are no object", "--variables 5 " + good, statusFailed, "", "twibase: --variables: "},
		{"a missing baseline", "--baseline /nowhere.json " + good, statusFailed, "",
			"twibase: --baseline: open /nowhere.json"},
		{"a broken baseline", "--baseline " + broken + " " + good, statusFailed, "",
			"twibase: --baseline: " + broken + " is not the output of an earlier check with --format json: "},
		{"no document", empty, statusFailed, "", "twibase: " + empty + ": there are no documents"},
		{"no path", "", statusUsage, "", `twibase: expected "<path> ..."`},
	} {
		t.Run(test.name, func(t *testing.T) {
			status, stdout, stderr := command(t, append([]string{"documents", "check"}, strings.Fields(test.args)...)...)
			if status != test.status || !strings.HasPrefix(stdout, test.stdout) || test.stdout == "" && stdout != "" ||
				!strings.HasPrefix(stderr, test.stderr) || test.stderr == "" && stderr != "" {
				t.Errorf("status %d, want %d\nstdout:\n%s\nwant:\n%s\nstderr: %s\nwant: %s", status, test.status, stdout, test.stdout,
					stderr, test.stderr)
			}
		})
	}
}

func TestDocumentsOfTheWebApplicationAreWithinLimits(t *testing.T) {
	status, stdout, stderr := command(t, "documents", "check", "--max", "rows=4000", "../examples/web/documents.json")
	if status != 0 || !strings.HasSuffix(stdout, "\n14 operations: valid and within limits\n") {
		t.Errorf("status %d: %s%s", status, stdout, stderr)
	}
}
