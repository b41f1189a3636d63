package command

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

var commandInPage = regexp.MustCompile("(?m)(?:bin/|`|^    )twibase ([a-z][^`#|>\n]*)")

func TestPagesHaveExistingCommands(t *testing.T) {
	pages, err := filepath.Glob("../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	model, checked := modelOf(t), 0
	for _, page := range append(pages, "../README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range commandInPage.FindAllStringSubmatch(string(text), -1) {
			node := model.Node
			for _, word := range strings.Fields(line[1]) {
				checked++
				name, isFlag := strings.CutPrefix(word, "--")
				if name, _, _ = strings.Cut(name, "="); isFlag && !hasFlag(node, name) {
					t.Errorf("%s: twibase %s: there is no --%s", page, line[1], name)
				}
				if isFlag || len(node.Children) == 0 {
					continue
				}
				child := slices.IndexFunc(node.Children, func(c *kong.Node) bool { return c.Name == word })
				if child < 0 {
					t.Errorf("%s: twibase %s: there is no command %s", page, line[1], word)
					break
				}
				node = node.Children[child]
			}
		}
	}
	if checked < 100 {
		t.Errorf("only %d words were found", checked)
	}
}

func hasFlag(command *kong.Node, name string) bool {
	for _, group := range command.AllFlags(false) {
		if slices.ContainsFunc(group, func(f *kong.Flag) bool { return f.Name == name }) {
			return true
		}
	}
	return false
}
