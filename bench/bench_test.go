package main

import "testing"

func TestAllAnswerEveryQueryWithTheSameBytes(t *testing.T) {
	w := newWorld(1)
	program := w.program()
	for _, q := range w.queries() {
		t.Run(q.name, func(t *testing.T) {
			want := string(program.answer(nil, q.body(), q.viewer))
			if got := string(answerer(w.planned(), q.body(), q.viewer)()); got != want {
				t.Errorf("the plan answers\n%.2000s\nthe program\n%.2000s", got, want)
			}
			if got := string(answerer(w.stock(), q.body(), q.viewer)()); got != want {
				t.Errorf("gqlgen answers\n%.2000s\nthe program\n%.2000s", got, want)
			}
		})
	}
}
