package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"runtime"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	traceapi "go.opentelemetry.io/otel/trace/embedded"
)

// Garbage is collected between requests, which is not measured.
func (c *tracingClient) takeTurns(ctx context.Context, variants []*variant, rounds int) error {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	// With a second thread, Go's scheduler would also search for work.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, v := range variants {
		if err := c.countAllocations(ctx, v); err != nil {
			return err
		}
	}
	random := rand.New(rand.NewPCG(seed, 1))
	for range rounds {
		cpu := make([][]time.Duration, len(variants)) // by request
		for n := range roundRequests {
			if n%collectedRequests == 0 {
				runtime.GC()
			}
			for _, i := range random.Perm(len(variants)) {
				c.use(variants[i])
				begun := cpuTime()
				c.do()
				cpu[i] = append(cpu[i], cpuTime()-begun)
				if err := c.check(); err != nil {
					return fmt.Errorf("%s: %w", variants[i].name, err)
				}
			}
		}
		for i, v := range variants {
			begun := cpuTime()
			if err := v.provider.ForceFlush(ctx); err != nil {
				return err
			}
			v.cpu = append(v.cpu, roundCost(cpu[i][:v.sampled], cpu[i][v.sampled:], cpuTime()-begun))
		}
	}
	return nil
}

// roundCost returns the cost per request, by first quartiles: other programs disturb some requests.
func roundCost(sampled, others []time.Duration, export time.Duration) float64 {
	sum := export
	for _, requests := range [][]time.Duration{sampled, others} {
		if n := len(requests); n > 0 {
			slices.Sort(requests)
			sum += time.Duration(n) * requests[n/4]
		}
	}
	return float64(sum) / roundRequests
}

type tracingClient struct {
	body, want []byte
	handler    http.Handler
	traces     switchedProvider
	header     http.Header // of the last response
	response   bytes.Buffer
}

func (c *tracingClient) use(v *variant) {
	setSwitches(v.untraced, v.off)
	c.traces.tracer.current = v.provider.Tracer("twibase/gateway")
}

func (c *tracingClient) do() {
	r, err := http.NewRequest(http.MethodPost, "/graphql", bytes.NewReader(c.body))
	if err != nil {
		panic(err) // the URL is valid
	}
	r.Header.Set("Content-Type", "application/json")
	c.header = http.Header{}
	c.response.Reset()
	c.handler.ServeHTTP(c, r)
}

func (c *tracingClient) check() error {
	if !bytes.Equal(c.response.Bytes(), c.want) {
		return fmt.Errorf("a wrong response: %.200s", &c.response)
	}
	return nil
}

// countAllocations measures the second of two rounds, because the first fills pools and caches.
func (c *tracingClient) countAllocations(ctx context.Context, v *variant) error {
	c.use(v)
	var before, after runtime.MemStats
	for range 2 {
		runtime.ReadMemStats(&before)
		for range roundRequests {
			c.do()
		}
		if err := v.provider.ForceFlush(ctx); err != nil {
			return err
		}
		runtime.ReadMemStats(&after)
	}
	v.allocs = float64(after.Mallocs-before.Mallocs) / roundRequests
	v.bytes = float64(after.TotalAlloc-before.TotalAlloc) / roundRequests
	return nil
}

func (c *tracingClient) Header() http.Header { return c.header }

func (c *tracingClient) Write(b []byte) (int, error) { return c.response.Write(b) }

func (*tracingClient) WriteHeader(int) {}

type switchedProvider struct {
	traceapi.TracerProvider
	tracer switchedTracer
}

func (p *switchedProvider) Tracer(string, ...trace.TracerOption) trace.Tracer { return &p.tracer }

type switchedTracer struct {
	traceapi.Tracer
	current trace.Tracer
}

func (s *switchedTracer) Start(ctx context.Context, name string, options ...trace.SpanStartOption) (context.Context,
	trace.Span) {
	return s.current.Start(ctx, name, options...)
}

// The provider exports at the end of a round, with the exporter of 'twibase serve'. A ratio of 1/n
// samples each n-th trace.
func newProvider(ctx context.Context, ratio float64) (*sdk.TracerProvider, *countingExporter, error) {
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, nil, err
	}
	counting := &countingExporter{SpanExporter: exporter}
	return sdk.NewTracerProvider(sdk.WithBatcher(counting, sdk.WithBatchTimeout(time.Hour)),
		sdk.WithIDGenerator(new(evenIDs)), sdk.WithSampler(sdk.ParentBased(sdk.TraceIDRatioBased(ratio)))), counting, nil
}

type countingExporter struct {
	sdk.SpanExporter
	spans atomic.Int64
}

func (e *countingExporter) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	e.spans.Add(int64(len(spans)))
	return e.SpanExporter.ExportSpans(ctx, spans)
}

// evenIDs samples the same number of traces in all rounds: the sampler compares the last eight
// bytes of an id.
type evenIDs struct{ traces uint64 }

func (g *evenIDs) NewIDs(ctx context.Context) (id trace.TraceID, _ trace.SpanID) {
	const step = math.MaxUint64 / roundRequests
	binary.BigEndian.PutUint64(id[:], rand.Uint64())
	binary.BigEndian.PutUint64(id[8:], g.traces%roundRequests*step+step/2)
	g.traces++
	return id, g.NewSpanID(ctx, id)
}

func (*evenIDs) NewSpanID(context.Context, trace.TraceID) (id trace.SpanID) {
	binary.BigEndian.PutUint64(id[:], rand.Uint64()|1)
	return id
}
