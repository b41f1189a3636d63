package main

import (
	"context"
	"fmt"
	"time"
)

func inMemory(_ context.Context, w *dataset) error {
	planned, stock, program := w.planned(), w.stock(), w.program()
	t := newTable("In memory, from the body of a request to that of its response",
		"query", "response", "by hand: CPU", "allocs", "plan: CPU", "allocs", "× by hand", "gqlgen: CPU", "allocs", "× plan")
	var planRatios, stockRatios []float64
	for i, q := range w.queries() {
		body := q.body()
		var buffer []byte
		costs := takeTurns(
			func() { buffer = program.respond(buffer[:0], body, q.viewer) },
			discard(responder(planned, body, q.viewer)),
			discard(responder(stock, body, q.viewer)))
		show := func(i int) (cpu, allocs string) {
			return ms(time.Duration(medianOf(costs, func(round []cost) float64 { return float64(round[i].cpu) }))),
				fmt.Sprintf("%.0f", medianOf(costs, func(round []cost) float64 { return round[i].allocs }))
		}
		hand, handAllocs := show(0)
		plan, planAllocs := show(1)
		gqlgen, gqlgenAllocs := show(2)
		planRatio, stockRatio := ratio(costs, 1, 0), ratio(costs, 2, 1)
		if i > 0 {
			planRatios, stockRatios = append(planRatios, planRatio), append(stockRatios, stockRatio)
		}
		t.row(q.name, fmt.Sprintf("%.1f KB", float64(len(q.response()))/1000), hand, handAllocs, plan, planAllocs,
			times(planRatio), gqlgen, gqlgenAllocs, times(stockRatio))
	}
	t.row("1 to 10, geometric mean", "", "", "", "", "", times(geometricMean(planRatios)), "", "",
		times(geometricMean(stockRatios)))
	t.end()
	return nil
}

func discard(answer func() []byte) func() { return func() { answer() } }
