package command

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "update docs/CONFIGURATION.md")

// TestConfigurationIsDocumented writes docs/CONFIGURATION.md with -update.
func TestConfigurationIsDocumented(t *testing.T) {
	const page = "../docs/CONFIGURATION.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	head, _, found := strings.Cut(string(text), "\n## ")
	if !found {
		t.Fatalf("%s has no section", page)
	}
	want := head + "\n" + flagTables(modelOf(t))
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("%s is stale: go test ./command -run TestConfigurationIsDocumented -update (-want +got):\n%s", page, diff)
	}
}

func flagTables(model *kong.Application) string {
	var out strings.Builder
	written := map[string]bool{}
	section := func(title string, flags []*kong.Flag) {
		var rows []string
		for _, f := range flags {
			if row := flagRow(f); len(f.Envs) > 0 && !written[row] {
				rows = append(rows, row)
				written[row] = true
			}
		}
		if len(rows) > 0 {
			fmt.Fprintf(&out, "## %s\n\n| flag | default | reloaded | meaning |\n|---|---|---|---|\n%s\n",
				title, strings.Join(rows, ""))
		}
	}
	section("All commands", model.Flags)
	var visit func(node *kong.Node)
	visit = func(node *kong.Node) {
		section("`"+strings.TrimPrefix(node.FullPath(), "twibase ")+"`", node.Flags)
		for _, child := range node.Children {
			visit(child)
		}
	}
	for _, child := range model.Children {
		visit(child)
	}
	return strings.TrimSuffix(out.String(), "\n")
}

var defaultInHelp = regexp.MustCompile(` \(default: [^)]*\)`)

func flagRow(f *kong.Flag) string {
	name, value, reloaded, help := "--"+f.Name, "", "", f.Help
	if f.PlaceHolder != "" {
		name += " " + f.PlaceHolder
	}
	if f.HasDefault {
		value, help = "`"+f.Default+"`", defaultInHelp.ReplaceAllString(help, "")
	}
	if f.Tag.Has("reload") {
		reloaded = "SIGHUP"
	}
	return fmt.Sprintf("| `%s` | %s | %s | %s |\n", name, value, reloaded, strings.ReplaceAll(help, "|", `\|`))
}
