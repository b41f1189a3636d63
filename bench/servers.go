package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"twibase/e2e/loadtest"
	"twibase/hbase/hbasetest/minihbase"
)

const (
	serverRounds    = 5
	referenceRounds = 9
	driveTime       = 500 * time.Millisecond
	connections     = 16
)

type server struct {
	name string
	*loadtest.Gateway
}

var uncached = []string{"--row-cache", "0"}

func served(ctx context.Context, w *dataset) error {
	p, err := newWorkspace()
	if err != nil {
		return err
	}
	defer p.close()
	store, other := "embedded:"+p.path("data"), "embedded:"+p.path("other")
	if err := errors.Join(w.store(ctx, store), w.store(ctx, other)); err != nil {
		return err
	}
	hand, handErr := p.serveDataset(ctx, "hand")
	memory, memoryErr := p.serveDataset(ctx, "plan")
	twibase, twibaseErr := p.twibase(ctx, store)
	pebble, err := p.twibase(ctx, other, uncached...)
	if err := errors.Join(handErr, memoryErr, twibaseErr, err); err != nil {
		return err
	}
	servers := []server{
		{"by hand, from memory", hand},
		{"plan, from memory", memory},
		{"twibase, with row cache", twibase},
		{"twibase, without", pebble},
	}
	if err := w.reference(servers); err != nil {
		return err
	}
	return w.shapes(servers)
}

func onHBase(ctx context.Context, w *dataset) error {
	p, err := newWorkspace()
	if err != nil {
		return err
	}
	defer p.close()
	h, err := startHBase(ctx, p.path("hbase"))
	if h == nil {
		return err
	}
	defer h.Kill()
	defer p.stop() // before HBase
	if err := w.store(ctx, h.URL()); err != nil {
		return err
	}
	hand, handErr := p.serveDataset(ctx, "hand")
	twibase, err := p.twibase(ctx, h.URL())
	if err := errors.Join(handErr, err); err != nil {
		return err
	}
	if _, err := twibase.Drive(w.queries()[0].request(), connections, 20*time.Second); err != nil {
		return err
	}
	return w.reference([]server{{"by hand, from memory", hand}, {"twibase, real HBase", twibase}})
}

func startHBase(ctx context.Context, dir string) (*minihbase.HBase, error) {
	h, err := minihbase.Start(ctx, dir)
	if errors.Is(err, minihbase.ErrMissing) {
		fmt.Println("\nHBase was skipped: Java or Maven is missing.")
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return h, nil
}

func (w *dataset) reference(servers []server) error {
	q := w.queries()[0]
	t := newTable("The whole server, HTTP included: the reference query",
		"server", "connections", "CPU per request", "× by hand without HTTP", "requests/s", "p50", "p99",
		"peak memory so far")
	program, body := w.program(), q.body()
	var buffer []byte
	bare := func() time.Duration {
		return measure(200, func() { buffer = program.respond(buffer[:0], body, q.viewer) }).cpu
	}
	for _, n := range []int{1, connections} {
		loads, ratios := make([][]loadtest.Load, len(servers)), make([][]float64, len(servers))
		for range referenceRounds {
			before := bare()
			for i, s := range servers {
				load, err := s.Drive(q.request(), n, 2*driveTime)
				if err != nil {
					return fmt.Errorf("%s: %w", s.name, err)
				}
				after := bare() // the speed of a shared machine changes
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
				return median(values)
			}
			latency := func(p int) string {
				return ms(time.Duration(each(func(l loadtest.Load) float64 { return float64(l.Percentile(p)) })))
			}
			t.row(s.name, fmt.Sprint(n), ms(time.Duration(each(func(l loadtest.Load) float64 { return float64(l.CPU) }))),
				times(median(ratios[i])),
				fmt.Sprintf("%.0f", each(loadtest.Load.PerSecond)), latency(50), latency(99), fmt.Sprintf("%d MB", peak>>20))
		}
	}
	t.end()
	return nil
}

// The last server must be twibase, which reports its rows.
func (w *dataset) shapes(servers []server) error {
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
				load, err := s.Drive(q.request(), 1, driveTime)
				if err != nil {
					return fmt.Errorf("%s, %s: %w", s.name, q.name, err)
				}
				cpu[i] = append(cpu[i], load.CPU)
				ratios[i] = append(ratios[i], float64(load.CPU)/float64(cpu[0][len(cpu[0])-1]))
			}
		}
		row := []string{q.name}
		for i := range servers {
			if row = append(row, ms(median(cpu[i]))); i > 0 {
				r := median(ratios[i])
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
