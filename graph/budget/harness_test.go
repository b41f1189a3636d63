package budget

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"twibase/graph/documents"
	"twibase/graph/endpoint"
	"twibase/graph/exec"
	"twibase/graph/limits"
	"twibase/hbase/tables"
	"twibase/resolvers"
)

func newChecker(variables map[string]any) *Checker {
	schema := exec.NewPlannedSchema(exec.Config{Resolvers: &resolvers.Resolver{}}, nil)
	return &Checker{
		Endpoint:  endpoint.NewChecker(schema, resolvers.Costs(tables.ListBound), limits.Default()),
		Schema:    schema.Schema(),
		Variables: variables,
		List:      limits.Default()[limits.List],
	}
}

func read(t testing.TB, files map[string]string) *documents.Trusted {
	t.Helper()
	t.Chdir(t.TempDir())
	if err := os.Mkdir("app", 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join("app", name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	trusted, err := documents.Read("app")
	if err != nil {
		t.Fatal(err)
	}
	return trusted
}

func operations(t testing.TB, text string, variables map[string]any) []Operation {
	t.Helper()
	trusted := read(t, map[string]string{"a.json": manifest(map[string]string{"1": text})})
	return newChecker(variables).Operations(t.Context(), trusted)
}

func manifest(documents map[string]string) string {
	text, err := json.Marshal(documents)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func costs(operations []Operation) string {
	var all []string
	for _, o := range operations {
		line := fmt.Sprintf("%s %s: %d rounds, %d rows, %d objects", o.Kind, o.Name, o.Rounds, o.Rows, o.Objects)
		if len(o.Rejected) > 0 {
			line += "; " + strings.Join(o.Rejected, "; ")
		}
		all = append(all, strings.TrimSpace(line))
	}
	return strings.Join(all, "\n")
}
