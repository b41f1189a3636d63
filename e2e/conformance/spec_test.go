package conformance

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestIntendedDifferencesAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/SPEC.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(page), "## Intended differences")
	if !found {
		t.Fatal("docs/SPEC.md has no section Intended differences")
	}
	var documented, want [][2]string
	for line := range strings.Lines(table) {
		cells := strings.Split(line, "|")
		if len(cells) != 5 || strings.HasPrefix(cells[1], "---") || strings.TrimSpace(cells[1]) == "difference" {
			continue
		}
		if strings.TrimSpace(cells[3]) == "" {
			t.Errorf("docs/SPEC.md gives no reason for: %s", cells[1])
		}
		documented = append(documented, [2]string{strings.TrimSpace(cells[1]), strings.TrimSpace(cells[2])})
	}
	for _, i := range intents {
		want = append(want, [2]string{i.name, i.section})
	}
	if diff := cmp.Diff(want, documented); diff != "" {
		t.Errorf("intended_test.go and docs/SPEC.md differ (-want +got):\n%s", diff)
	}
}
