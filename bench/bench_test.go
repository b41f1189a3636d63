package main

import "testing"

// The files of testdata/untraced have the functions that the product calls.
func TestUntracedBuilds(t *testing.T) {
	p := &workspace{dir: t.TempDir()}
	if _, err := p.buildUntraced(t.Context()); err != nil {
		t.Error(err)
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
