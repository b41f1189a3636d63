package clients

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "copy the recipes of the client programs into docs/CLIENTS.md")

// A recipe is a region of a client program between lines with "recipe: NAME" and "end of recipe".
// docs/CLIENTS.md shows it in the fenced block below "<!-- recipe: PATH NAME -->".
var (
	recipeStart = regexp.MustCompile(`\brecipe: ([\w-]+)`)
	recipeEnd   = regexp.MustCompile(`\bend of recipe\b`)
	recipeBlock = regexp.MustCompile("(?m)^<!-- recipe: (\\S+ \\S+) -->\n+(```.*\n)((?:.*\n)*?)(```)$")
	recipeMark  = regexp.MustCompile(`<!-- recipe: `)
)

func TestClientsPageShowsTheCodeThatRuns(t *testing.T) {
	root, err := os.OpenRoot("../..")
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	recipes, err := recipesBelow(root.FS(), "e2e/clients")
	if err != nil {
		t.Fatal(err)
	}
	const name = "docs/CLIENTS.md"
	page, err := root.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	updated, messages := showRecipes(string(page), recipes)
	for _, message := range messages {
		t.Errorf("%s: %s", name, message)
	}
	if updated == string(page) {
		return
	}
	if !*update {
		t.Errorf("%s shows other code than the client programs: go test ./e2e/clients -run ClientsPage -update", name)
	} else if err := root.WriteFile(name, []byte(updated), 0o644); err != nil {
		t.Fatal(err)
	}
}

func recipesBelow(files fs.FS, folder string) (map[string]string, error) {
	all := map[string]string{}
	var errs []error
	skipped := []string{"node_modules", "__generated__", "__pycache__"}
	err := fs.WalkDir(files, folder, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && slices.Contains(skipped, path.Base(name)):
			return fs.SkipDir
		case entry.IsDir() || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		recipes, err := recipesOf(string(text))
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
		}
		for recipe, code := range recipes {
			all[name+" "+recipe] = code
		}
		return nil
	})
	return all, errors.Join(append(errs, err)...)
}

func recipesOf(text string) (map[string]string, error) {
	recipes := map[string]string{}
	name, region := "", []string(nil)
	for line := range strings.Lines(text) {
		start := recipeStart.FindStringSubmatch(line)
		switch {
		case start != nil && name != "":
			return nil, fmt.Errorf("recipe %s begins within recipe %s", start[1], name)
		case start != nil:
			name, region = start[1], nil
			if _, used := recipes[name]; used {
				return nil, fmt.Errorf("recipe %s is there twice", name)
			}
		case recipeEnd.MatchString(line):
			if name == "" {
				return nil, errors.New("a recipe ends that did not begin")
			}
			recipes[name] = dedent(region)
			name = ""
		case name != "":
			region = append(region, line)
		}
	}
	if name != "" {
		return nil, fmt.Errorf("recipe %s does not end", name)
	}
	return recipes, nil
}

func dedent(lines []string) string {
	indent, found := "", false
	for _, line := range lines {
		text := strings.TrimLeft(line, " \t")
		if strings.TrimSpace(text) == "" {
			continue
		}
		own := line[:len(line)-len(text)]
		if !found {
			indent, found = own, true
		}
		for !strings.HasPrefix(own, indent) {
			indent = indent[:len(indent)-1]
		}
	}
	var text strings.Builder
	for _, line := range lines {
		text.WriteString(strings.TrimPrefix(line, indent))
	}
	if joined := strings.Trim(text.String(), "\n"); joined != "" {
		return joined + "\n"
	}
	return ""
}

func showRecipes(page string, recipes map[string]string) (updated string, messages []string) {
	shown := map[string]bool{}
	updated = recipeBlock.ReplaceAllStringFunc(page, func(block string) string {
		part := recipeBlock.FindStringSubmatch(block)
		code, known := recipes[part[1]]
		if !known {
			messages = append(messages, "there is no recipe "+part[1])
			return block
		}
		shown[part[1]] = true
		return "<!-- recipe: " + part[1] + " -->\n" + part[2] + code + part[4]
	})
	marks, blocks := len(recipeMark.FindAllString(page, -1)), len(recipeBlock.FindAllString(page, -1))
	if marks != blocks {
		messages = append(messages, fmt.Sprintf("%d recipes are named above %d fenced blocks", marks, blocks))
	}
	for _, recipe := range slices.Sorted(maps.Keys(recipes)) {
		if !shown[recipe] {
			messages = append(messages, "it does not show recipe "+recipe)
		}
	}
	return updated, messages
}

func TestRecipesThatCannotBeShownAreReported(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"no end", "# recipe: a\nx\n", "recipe a does not end"},
		{"no beginning", "# end of recipe\n", "a recipe ends that did not begin"},
		{"one within another", "# recipe: a\n# recipe: b\n", "recipe b begins within recipe a"},
		{"the same name twice", "# recipe: a\n# end of recipe\n# recipe: a\n", "recipe a is there twice"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := recipesOf(test.text); err == nil || err.Error() != test.want {
				t.Errorf("error %v, want %s", err, test.want)
			}
		})
	}
}

func TestDocsShowTheTestedPrograms(t *testing.T) {
	recipes, err := recipesOf("def f():\n    # recipe: a\n\n    if x:\n\n        y()\n    # end of recipe\n")
	if err != nil {
		t.Fatal(err)
	}
	recipes = map[string]string{"app.py a": recipes["a"]}
	const fresh = "Text.\n\n<!-- recipe: app.py a -->\n```python\nif x:\n\n    y()\n```\n"
	for _, test := range []struct {
		name, page, want string
		messages         []string
	}{
		{"a fresh block stays", fresh, fresh, nil},
		{"an old block is replaced", strings.Replace(fresh, "y()", "z()", 1), fresh, nil},
		{"a block that is empty is filled", "Text.\n\n<!-- recipe: app.py a -->\n```python\n```\n", fresh, nil},
		{"a recipe that is not shown is an error", "", "", []string{"it does not show recipe app.py a"}},
		{"a block without a recipe is an error", fresh + strings.ReplaceAll(fresh, " a ", " b "),
			fresh + strings.ReplaceAll(fresh, " a ", " b "), []string{"there is no recipe app.py b"}},
		{"a name without a block is an error",
			fresh + "<!-- recipe: app.py a -->\nText.\n", fresh + "<!-- recipe: app.py a -->\nText.\n",
			[]string{"2 recipes are named above 1 fenced blocks"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			page, messages := showRecipes(test.page, recipes)
			if page != test.want || !slices.Equal(messages, test.messages) {
				t.Errorf("errors %q, page:\n%s", messages, page)
			}
		})
	}
}
