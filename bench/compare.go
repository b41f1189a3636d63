package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"twibase/e2e/loadtest"
	"twibase/hbase/hbasetest/minihbase"
)

// These are how often and for how long servers are asked, in turns.
const (
	serverRounds    = 5
	referenceRounds = 9
	askedFor        = 500 * time.Millisecond
	connections     = 16
)

// server is one of those that are compared.
type server struct {
	name string
	*loadtest.Gateway
}

// uncached are the flags of a server that reads every row from Pebble.
var uncached = []string{"--row-cache", "0"}

// served compares whole servers, HTTP included, on the embedded engine: with its cache of rows, which has what Gets ask for after the first
// requests, and without.
func served(ctx context.Context, w *world) error {
	p, err := newPlace()
	if err != nil {
		return err
	}
	defer p.leave()
	store, other := "embedded:"+p.path("data"), "embedded:"+p.path("other")
	if err := errors.Join(w.store(ctx, store), w.store(ctx, other)); err != nil {
		return err
	}
	hand, handErr := p.world(ctx, "hand")
	memory, memoryErr := p.world(ctx, "plan")
	twibase, twibaseErr := p.twibase(ctx, store)
	pebble, err := p.twibase(ctx, other, uncached...)
	if err := errors.Join(handErr, memoryErr, twibaseErr, err); err != nil {
		return err
	}
	servers := []server{{"by hand, from memory", hand}, {"plan, from memory", memory},
		{"twibase, with row cache", twibase}, {"twibase, without", pebble}}
	if err := w.reference(servers); err != nil {
		return err
	}
	return w.shapes(servers)
}

// onHBase compares the whole server on a real HBase with the program written by hand.
func onHBase(ctx context.Context, w *world) error {
	p, err := newPlace()
	if err != nil {
		return err
	}
	defer p.leave()
	h, err := minihbase.Start(ctx, p.path("hbase"))
	if errors.Is(err, minihbase.ErrMissing) {
		fmt.Println("\nNo HBase: there is no Java here, or no Maven.")
		return nil
	}
	if err != nil {
		return err
	}
	defer h.Kill()
	defer p.stop() // before their store
	if err := w.store(ctx, h.URL()); err != nil {
		return err
	}
	hand, handErr := p.world(ctx, "hand")
	twibase, err := p.twibase(ctx, h.URL())
	if err := errors.Join(handErr, err); err != nil {
		return err
	}
	// Java compiles what runs often, and is slow until then.
	if _, err := twibase.Drive(w.queries()[0].request(), connections, 20*time.Second); err != nil {
		return err
	}
	return w.reference([]server{{"by hand, from memory", hand}, {"twibase, real HBase", twibase}})
}

// reference asks servers the reference query, on one connection and on many; and what they then had in memory at most.
func (w *world) reference(servers []server) error {
	q := w.queries()[0]
	t := newTable("The whole server, HTTP included: the reference query",
		"server", "connections", "CPU per request", "× by hand without HTTP", "requests/s", "p50", "p99", "peak memory so far")
	program, body := w.program(), q.body()
	var buffer []byte
	bare := func() time.Duration {
		return measure(200, func() { buffer = program.answer(buffer[:0], body, q.viewer) }).cpu
	}
	for _, n := range []int{1, connections} {
		loads, ratios := make([][]loadtest.Load, len(servers)), make([][]float64, len(servers))
		for range referenceRounds {
			before := bare()
			for i, s := range servers {
				load, err := s.Drive(q.request(), n, 2*askedFor)
				if err != nil {
					return fmt.Errorf("%s: %w", s.name, err)
				}
				after := bare() // on a machine with neighbours it is another than a second ago
				loads[i], ratios[i] = append(loads[i], load), append(ratios[i], 2*float64(load.CPU)/float64(before+after))
				before = after
			}
		}
		for i, s := range servers {
			peak, err := s.Peak()
			if err != nil {
				return err
			}
			each := func(of func(loadtest.Load) float64) float64 {
				var values []float64
				for _, load := range loads[i] {
					values = append(values, of(load))
				}
				return middle(values)
			}
			latency := func(p int) string {
				return ms(time.Duration(each(func(l loadtest.Load) float64 { return float64(l.Percentile(p)) })))
			}
			t.row(s.name, fmt.Sprint(n), ms(time.Duration(each(func(l loadtest.Load) float64 { return float64(l.CPU) }))), times(middle(ratios[i])),
				fmt.Sprintf("%.0f", each(loadtest.Load.PerSecond)), latency(50), latency(99), fmt.Sprintf("%d MB", peak>>20))
		}
	}
	t.end()
	return nil
}

// shapes asks servers all queries on one connection. The first of them is what the others are compared with: it too serves HTTP, which is
// most of what a small query costs. The last is twibase, and says how many rows it reads.
func (w *world) shapes(servers []server) error {
	columns := []string{"query"}
	for i, s := range servers {
		if columns = append(columns, s.name+": CPU per request"); i > 0 {
			columns = append(columns, "× by hand")
		}
	}
	t := newTable("The whole server, HTTP included: all queries, one connection", append(columns, "rows")...)
	means := make([][]float64, len(servers))
	for at, q := range w.queries() {
		cpu, ratios := make([][]time.Duration, len(servers)), make([][]float64, len(servers))
		for range serverRounds {
			for i, s := range servers {
				load, err := s.Drive(q.request(), 1, askedFor)
				if err != nil {
					return fmt.Errorf("%s, %s: %w", s.name, q.name, err)
				}
				cpu[i] = append(cpu[i], load.CPU)
				ratios[i] = append(ratios[i], float64(load.CPU)/float64(cpu[0][len(cpu[0])-1]))
			}
		}
		row := []string{q.name}
		for i := range servers {
			if row = append(row, ms(middle(cpu[i]))); i > 0 {
				r := middle(ratios[i])
				if row = append(row, times(r)); at > 0 {
					means[i] = append(means[i], r)
				}
			}
		}
		report, err := servers[len(servers)-1].Report(q.request())
		if err != nil {
			return err
		}
		t.row(append(row, fmt.Sprint(report.Rows))...)
	}
	row := []string{"1 to 10, geometric mean"}
	for i := range servers {
		if row = append(row, ""); i > 0 {
			row = append(row, times(geometricMean(means[i])))
		}
	}
	t.row(append(row, "")...)
	t.end()
	return nil
}
