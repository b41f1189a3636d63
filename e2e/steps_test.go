package e2e

import (
	"fmt"
	"strings"
	"testing"

	"twibase/e2e/oracle"
)

type step struct {
	viewer oracle.Viewer
	query  string
	want   string
}

func runSteps(t *testing.T, steps []step) {
	t.Helper()
	s := newPeopleGateway(t, folderOf(t, people))
	for _, step := range steps {
		want := `{"data":` + step.want + `}`
		if got := strings.TrimSpace(string(s.ask(t, step.query, nil, step.viewer))); got != want {
			t.Fatalf("%s\n got %s\nwant %s", step.query, got, want)
		}
	}
}

func mutation(name, input, shows string) string {
	return fmt.Sprintf(`mutation{%s(input:{%s}){%s userErrors{code field}}}`, name, input, shows)
}
