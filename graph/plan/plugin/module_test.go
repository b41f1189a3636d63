package plugin

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/api"
	"github.com/99designs/gqlgen/codegen/config"
)

type module map[string]string

func settings(models string) string {
	return `
schema: ["*.graphqls"]
exec: {layout: follow-schema, dir: exec, package: exec}
model: {filename: model/models.go, package: model}
resolver: {layout: follow-schema, dir: stubs, package: stubs, batch: true, preserve_resolver: true}
skip_validation: true
skip_mod_tidy: true
` + models
}

func (m module) write(t *testing.T) {
	t.Helper()
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	ours, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	goMod := strings.Replace(string(ours), "module twibase", "module example", 1) +
		"\nrequire twibase v0.0.0\nreplace twibase => " + root + "\n"
	files := module{"go.sum": string(sums), "go.mod": goMod}
	for name, text := range m {
		files[name] = text
	}
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func generate() error {
	cfg, err := config.LoadConfigFromDefaultLocations()
	if err != nil {
		return err
	}
	return api.Generate(cfg, api.AddPlugin(Plugin{Lazy: []string{"twibase/hbase/tables"}}))
}

func run(t *testing.T) []string {
	t.Helper()
	var errs strings.Builder
	command := exec.Command("go", "run", "-mod=mod", ".")
	command.Stderr = &errs
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%s\n%s", err, &errs)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}
