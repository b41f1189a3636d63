package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

func TestTracingIsMeasured(t *testing.T) {
	p := &workspace{dir: t.TempDir()}
	var out bytes.Buffer
	if err := p.runTracing(t.Context(), &out, 1); err != nil {
		t.Error(err)
	}
	if rows := strings.Count(out.String(), "\n| "); rows != 7 {
		t.Errorf("%d rows: %s", rows, &out)
	}
}

func TestProgramBuildsWithoutOptimisations(t *testing.T) {
	p := &workspace{dir: t.TempDir()}
	files, err := diffs.ReadDir("without")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, file := range files {
		names = append(names, strings.TrimSuffix(file.Name(), ".diff"))
	}
	if _, err := p.buildWithout(t.Context(), names...); err != nil {
		t.Error(err)
	}
	var measured []string
	for _, o := range optimisations {
		measured = append(measured, strings.Fields(o.name)...)
	}
	slices.Sort(measured)
	if measured = slices.Compact(measured); !slices.Equal(measured, names) {
		t.Errorf("the diffs are %q, but optimisations has %q", names, measured)
	}
}

func TestAllExecutorsReturnTheSameBytes(t *testing.T) {
	w := newDataset(1)
	program := w.program()
	for _, q := range w.queries() {
		t.Run(q.name, func(t *testing.T) {
			want := string(program.respond(nil, q.body(), q.viewer))
			if got := string(responder(w.planned(), q.body(), q.viewer)()); got != want {
				t.Errorf("plan: got\n%.2000s\nwant\n%.2000s", got, want)
			}
			if got := string(responder(w.stock(), q.body(), q.viewer)()); got != want {
				t.Errorf("gqlgen: got\n%.2000s\nwant\n%.2000s", got, want)
			}
		})
	}
}
