package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
	sdk "go.opentelemetry.io/otel/sdk/trace"

	"twibase/gateway"
	"twibase/graph/limits"
	"twibase/hbase/embedded"
)

const (
	tracingRounds = 300
	// roundRequests is the number of requests per variant. With 1 % sampling, one is sampled.
	roundRequests = 100
	// collectedRequests is the number of requests per variant between garbage collections.
	collectedRequests = 10
	// rowCache is the default of --row-cache.
	rowCache = 32 << 20
)

// tracingCommand needs a program built by [buildTracing].
const tracingCommand = "measure-tracing"

const tracingSwitches = `package hbase

// Untraced makes the functions of tracing return immediately. TracingOff makes a gateway with spans
// the same as one without.
var Untraced, TracingOff bool
`

// off makes the spans of a gateway the same as without a provider.
const off = "if tracing.TracingOff { s.tracer = nil }; "

// switched has statements to insert at the start of functions, so that one gateway can run with and
// without tracing. Two builds would also differ in the alignment of loops, and two gateways in the
// contents of CPU caches.
var switched = map[string]map[string]string{
	"gateway/middleware/spans.go": {
		"func (s Spans) request(":   off + "if tracing.Untraced { return r.Context() }",
		"func (s Spans) operation(": off + "if tracing.Untraced { return ctx }",
		"func (s Spans) end(":       off + "if tracing.Untraced { return }",
		"func (s Spans) traceID(":   off + `if tracing.Untraced { return "" }`,
	},
	"loaders/trace.go":        {"func (l *Loaders) beginRound(": "if tracing.Untraced { return ctx, nil }"},
	"graph/endpoint/event.go": {"func eventSpan(": "if tracing.Untraced { return next(ctx) }"},
}

// setSwitches is nil unless buildTracing has built the program.
var setSwitches func(untraced, off bool)

// The CPU time of this process, with the collector, is not measured.
func tracing(ctx context.Context, _ *dataset) error {
	p, err := newWorkspace()
	if err != nil {
		return err
	}
	defer p.close()
	return p.runTracing(ctx, os.Stdout, tracingRounds)
}

func (p *workspace) runTracing(ctx context.Context, out io.Writer, rounds int) error {
	program, err := p.buildTracing(ctx)
	if err != nil {
		return err
	}
	var exported atomic.Int64 // bytes
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		n, _ := io.Copy(io.Discard, r.Body)
		exported.Add(n)
	}))
	defer collector.Close()
	measure := exec.CommandContext(ctx, program, tracingCommand, strconv.Itoa(rounds))
	measure.Env = append(os.Environ(), "OTEL_EXPORTER_OTLP_ENDPOINT="+collector.URL)
	measure.Stdout, measure.Stderr = out, os.Stderr
	if err := measure.Run(); err != nil {
		return err
	}
	if exported.Load() == 0 {
		return errors.New("no span was exported")
	}
	return nil
}

func (p *workspace) buildTracing(ctx context.Context) (program string, err error) {
	replace := map[string]string{}
	add := func(file, text string) error {
		by := p.path(strings.ReplaceAll(file, "/", "-"))
		original, err := filepath.Abs(filepath.Join("..", file))
		replace[original] = by
		return errors.Join(err, os.WriteFile(by, []byte(text), 0o600))
	}
	if err := add("hbase/tracingswitches.go", tracingSwitches); err != nil {
		return "", err
	}
	for file, statements := range switched {
		text, err := os.ReadFile(filepath.Join("..", file))
		if err != nil {
			return "", err
		}
		with, err := insert(string(text), statements)
		if err != nil {
			return "", fmt.Errorf("%s: %w", file, err)
		}
		if err := add(file, with); err != nil {
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
	program = p.path("bench")
	build := exec.CommandContext(ctx, "go", "build", "-tags", "switched", "-overlay", p.path("overlay.json"),
		"-o", program, ".")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return program, nil
}

func insert(text string, statements map[string]string) (string, error) {
	inserted := 0
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(line)
		for start, statement := range statements {
			if strings.HasPrefix(line, start) {
				b.WriteString(statement + "\n")
				inserted++
			}
		}
	}
	if inserted != len(statements) {
		return "", fmt.Errorf("%d of %d functions were found: change the map switched", inserted, len(statements))
	}
	return strings.Replace(b.String(), "import (", "import (\n\ttracing \"twibase/hbase\"", 1), nil
}

type variant struct {
	name          string
	untraced, off bool
	sampled       int // requests of a round
	provider      *sdk.TracerProvider
	exporter      *countingExporter

	allocs, bytes float64   // per request
	cpu           []float64 // per request, by round
}

// Two of the variants are the same, to show the error of the method.
func measureTracing(ctx context.Context, rounds int) error {
	if setSwitches == nil {
		return errors.New("run bench tracing, which builds the program for this command")
	}
	w := newDataset(seed)
	dir, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := w.store(ctx, "embedded:"+dir); err != nil {
		return err
	}
	store, err := embedded.Open(dir, embedded.WithRowCache(rowCache))
	if err != nil {
		return err
	}
	defer store.Close()
	variants := []*variant{
		{name: "none: the functions of tracing return immediately", untraced: true},
		{name: "the same again", untraced: true},
		{name: "off", off: true},
		{name: "1 % of the traces", sampled: roundRequests / 100},
		{name: "all", sampled: roundRequests},
	}
	for _, v := range variants {
		if v.provider, v.exporter, err = newProvider(ctx, float64(v.sampled)/roundRequests); err != nil {
			return err
		}
	}
	q := w.queries()[0]
	client := &tracingClient{body: q.body(), want: q.response()}
	client.handler = gateway.New(store, gateway.Config{
		Limits: limits.Default(), Traces: &client.traces, Log: zerolog.New(io.Discard), Slow: 500 * time.Millisecond,
	}).Public
	if err := client.takeTurns(ctx, variants, rounds); err != nil {
		return err
	}
	printTracing(variants)
	return checkExported(variants)
}

func printTracing(variants []*variant) {
	rounds := len(variants[0].cpu)
	title := fmt.Sprintf("Tracing: the reference query, in the process of a gateway with the embedded store, "+
		"%d rounds of %d requests, seed %d", rounds, roundRequests, seed)
	t := newTable(title, "spans", "CPU per request", "change", "95 % confidence", "allocations", "KB allocated")
	for _, v := range variants {
		ratios := make([]float64, rounds)
		for i := range ratios {
			ratios[i] = v.cpu[i] / variants[0].cpu[i]
		}
		low, high := medianInterval(ratios)
		t.row(v.name, ms(time.Duration(median(slices.Clone(v.cpu)))), change(median(ratios)), change(low)+" to "+change(high),
			fmt.Sprintf("%.1f", v.allocs), fmt.Sprintf("%.1f", v.bytes/1000))
	}
	t.end()
}

func change(ratio float64) string { return fmt.Sprintf("%+.2f %%", 100*(ratio-1)) }

func checkExported(variants []*variant) error {
	requests := (2 + len(variants[0].cpu)) * roundRequests // and the rounds of countAllocations
	spans := variants[len(variants)-1].exporter.spans.Load() / int64(requests)
	for _, v := range variants {
		want := spans * int64(requests*v.sampled/roundRequests)
		if got := v.exporter.spans.Load(); got != want || spans == 0 {
			return fmt.Errorf("%s: %d spans were exported, want %d", v.name, got, want)
		}
	}
	return nil
}

// medianInterval is the 95 % confidence interval of the median, by the sign test.
func medianInterval(values []float64) (low, high float64) {
	slices.Sort(values)
	n := float64(len(values))
	i := max(0, int(n/2-1.96*math.Sqrt(n)/2))
	return values[i], values[len(values)-1-i]
}
