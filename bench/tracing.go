package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"twibase/e2e/loadtest"
)

const (
	// tracingTurns is the number of turns of each program.
	tracingTurns = 60
	// exportDelay is the time after which a span is exported, and the rest after a turn: each turn pays
	// for its own spans. The default of 5 s is cheaper.
	exportDelay = 100 * time.Millisecond
)

// untraced maps files to those of a program that has no code for spans of requests, rounds and events.
// The spans of RPCs are not replaced: the embedded store has none.
var untraced = map[string]string{
	"gateway/middleware/spans.go": "requests.go",
	"loaders/span.go":             "rounds.go",
	"graph/endpoint/event.go":     "events.go",
}

// tracing compares servers with and without spans, on the embedded store. They take turns of half a
// second, and the first of a turn alternates. The spans go to a collector in this process.
func tracing(ctx context.Context, w *dataset) error {
	p, err := newWorkspace()
	if err != nil {
		return err
	}
	defer p.close()
	bare, err := p.buildUntraced(ctx)
	if err != nil {
		return err
	}
	program, err := p.build(ctx)
	if err != nil {
		return err
	}
	var exported atomic.Int64 // bytes
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		n, _ := io.Copy(io.Discard, r.Body)
		exported.Add(n)
	}))
	defer collector.Close()
	sampled := func(ratio string) []string {
		return []string{
			"OTEL_EXPORTER_OTLP_ENDPOINT=" + collector.URL,
			"OTEL_TRACES_SAMPLER=traceidratio", "OTEL_TRACES_SAMPLER_ARG=" + ratio,
			fmt.Sprint("OTEL_BSP_SCHEDULE_DELAY=", exportDelay.Milliseconds()),
		}
	}
	programs := []struct {
		name, program string
		variables     []string
	}{
		{"built without spans", bare, nil},
		{"off", program, nil},
		{"1 % sampled", program, sampled("0.01")},
		{"all sampled", program, sampled("1")},
	}
	servers := make([]*loadtest.Gateway, len(programs))
	for i, of := range programs {
		store := "embedded:" + p.path(fmt.Sprint("store", i))
		if err := w.store(ctx, store); err != nil {
			return err
		}
		args := append(of.variables, of.program, "serve", "--listen", "127.0.0.1:0", "--store", store)
		if servers[i], err = p.start(ctx, "env", args...); err != nil {
			return err
		}
	}

	q := w.queries()[0]
	costs, ratios := make([][]time.Duration, len(servers)), make([][]float64, len(servers))
	for turn := range tracingTurns {
		cpu := make([]time.Duration, len(servers))
		for k := range servers {
			i := (turn + k) % len(servers)
			if cpu[i], err = driveAndExport(servers[i], q.request()); err != nil {
				return fmt.Errorf("%s: %w", programs[i].name, err)
			}
		}
		for i := range servers {
			costs[i] = append(costs[i], cpu[i])
			ratios[i] = append(ratios[i], float64(cpu[i])/float64(cpu[0]))
		}
	}
	if exported.Load() == 0 {
		return errors.New("no span was exported")
	}
	t := newTable("Tracing: the reference query, embedded store, HTTP included, one connection",
		"spans", "CPU per request", "change", "first quartile", "third quartile")
	for i, of := range programs {
		slices.Sort(ratios[i])
		t.row(of.name, ms(median(costs[i])), percent(median(ratios[i])), percent(ratios[i][tracingTurns/4]),
			percent(ratios[i][tracingTurns*3/4]))
	}
	t.end()
	return nil
}

// driveAndExport returns the CPU time per request of a turn, with the export of its spans.
func driveAndExport(g *loadtest.Gateway, r loadtest.Request) (time.Duration, error) {
	before, err := g.CPU()
	if err != nil {
		return 0, err
	}
	load, err := g.Drive(r, 1, driveTime)
	if err != nil {
		return 0, err
	}
	time.Sleep(2 * exportDelay)
	after, err := g.CPU()
	return (after - before) / time.Duration(load.Requests), err
}

// buildUntraced builds this tree with the files of untraced.
func (p *workspace) buildUntraced(ctx context.Context) (program string, err error) {
	replace := map[string]string{}
	for file, by := range untraced {
		from, err := filepath.Abs(filepath.Join("..", file))
		if err != nil {
			return "", err
		}
		if replace[from], err = filepath.Abs(filepath.Join("testdata/untraced", by)); err != nil {
			return "", err
		}
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(p.path("overlay.json"), overlay, 0o600); err != nil {
		return "", err
	}
	return p.buildAs(ctx, "untraced", "-overlay", p.path("overlay.json"))
}
