package command

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const exampleDir = "../examples/web"

func TestDocumentsExampleInTheDocsIsWhatItPrints(t *testing.T) {
	page, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := regexp.MustCompile("(?s)\n[$] sed -i 's/(.+?)/(.+?)/' (\\S+)\n[$] twibase (.+?)\n(.+?)```").FindStringSubmatch(string(page))
	if shown == nil {
		t.Fatal("README.md has no example")
	}
	dir := t.TempDir()
	for _, file := range []string{"documents.json", "costs.json"} {
		text, err := os.ReadFile(filepath.Join(exampleDir, file))
		if file == shown[3] {
			text = bytes.ReplaceAll(text, []byte(shown[1]), []byte(shown[2]))
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, file), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	status, stdout, _ := command(t, strings.Fields(shown[4])...)
	if diff := cmp.Diff(shown[5], stdout); diff != "" || status != statusFailed {
		t.Errorf("status %d (-page +printed):\n%s", status, diff)
	}
}

func TestBaselineOfTheExampleIsUpToDate(t *testing.T) {
	t.Chdir(exampleDir)
	want, err := os.ReadFile("costs.json")
	if err != nil {
		t.Fatal(err)
	}
	_, got, _ := command(t, "documents", "check", "documents.json", "--format", "json")
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("in examples/web run: twibase documents check documents.json --format json > costs.json\n(-want +got):\n%s", diff)
	}
}

func TestWorkflowOfTheExampleChecksDocuments(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(exampleDir, "pull-request.yml"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(exampleDir)
	line := regexp.MustCompile(`run: \./twibase (documents check .+) > costs\.md\n`).FindStringSubmatch(string(text))
	if line == nil {
		t.Fatal("the workflow does not check documents")
	}
	status, stdout, stderr := command(t, strings.Fields(line[1])...)
	// The workflow finds its comment by this line.
	if status != 0 || stderr != "" || !strings.HasPrefix(stdout, "### Cost of GraphQL operations\n") ||
		!strings.Contains(string(text), `startswith("### Cost of GraphQL operations")`) {
		t.Errorf("status %d: %s%s", status, stdout, stderr)
	}
}
