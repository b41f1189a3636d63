package main

import (
	"context"
	"fmt"
	"time"
)

// inMemory compares the plan, the program and gqlgen's executor over the same data in memory: from the body of a request to the body of its answer.
func inMemory(_ context.Context, w *world) error {
	planned, stock, program := w.planned(), w.stock(), w.program()
	t := newTable("In memory, from the body of a request to that of its answer",
		"query", "answer", "by hand: CPU", "allocs", "plan: CPU", "allocs", "× by hand", "gqlgen: CPU", "allocs", "× plan")
	var planRatios, stockRatios []float64
	for i, q := range w.queries() {
		body := q.body()
		var buffer []byte
		costs := turns(
			func() { buffer = program.answer(buffer[:0], body, q.viewer) },
			discard(answerer(planned, body, q.viewer)),
			discard(answerer(stock, body, q.viewer)))
		show := func(i int) (cpu, allocs string) {
			return ms(time.Duration(median(costs, func(round []cost) float64 { return float64(round[i].cpu) }))),
				fmt.Sprintf("%.0f", median(costs, func(round []cost) float64 { return round[i].allocs }))
		}
		hand, handAllocs := show(0)
		plan, planAllocs := show(1)
		gqlgen, gqlgenAllocs := show(2)
		planRatio, stockRatio := ratio(costs, 1, 0), ratio(costs, 2, 1)
		if i > 0 {
			planRatios, stockRatios = append(planRatios, planRatio), append(stockRatios, stockRatio)
		}
		t.row(q.name, fmt.Sprintf("%.1f KB", float64(len(q.answer()))/1000), hand, handAllocs, plan, planAllocs, times(planRatio), gqlgen, gqlgenAllocs, times(stockRatio))
	}
	t.row("1 to 10, geometric mean", "", "", "", "", "", times(geometricMean(planRatios)), "", "", times(geometricMean(stockRatios)))
	t.end()
	return nil
}

func discard(answer func() []byte) func() { return func() { answer() } }
