package e2e

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"twibase/e2e/loadtest"
)

type fakeCollector struct {
	collector.UnimplementedTraceServiceServer
	mu    sync.Mutex
	spans []string
}

func (c *fakeCollector) start(t *testing.T, protocol string) (url string) {
	if protocol != "grpc" {
		server := httptest.NewServer(c)
		t.Cleanup(server.Close)
		return server.URL
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	collector.RegisterTraceServiceServer(server, c)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	return "http://" + listener.Addr().String()
}

func (c *fakeCollector) Export(
	_ context.Context, export *collector.ExportTraceServiceRequest,
) (*collector.ExportTraceServiceResponse, error) {
	c.keep(export)
	return new(collector.ExportTraceServiceResponse), nil
}

func (c *fakeCollector) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var export collector.ExportTraceServiceRequest
	if r.URL.Path == "/v1/traces" && proto.Unmarshal(body, &export) == nil {
		c.keep(&export)
	}
}

func (c *fakeCollector) keep(export *collector.ExportTraceServiceRequest) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, of := range export.ResourceSpans {
		service := ""
		for _, a := range of.Resource.Attributes {
			if a.Key == "service.name" {
				service = a.Value.GetStringValue()
			}
		}
		for _, scope := range of.ScopeSpans {
			for _, span := range scope.Spans {
				c.spans = append(c.spans, service+": "+span.Name)
			}
		}
	}
}

func TestCommandExportsSpans(t *testing.T) {
	binary := twibase(t)
	for name, test := range map[string]struct {
		variables map[string]string
		want      []string
	}{
		"by default": {nil, []string{"twibase: query Q", "twibase: round"}},
		"by gRPC": {map[string]string{"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"},
			[]string{"twibase: query Q", "twibase: round"}},
		"another service": {map[string]string{"OTEL_SERVICE_NAME": "edge"},
			[]string{"edge: query Q", "edge: round"}},
		"disabled":    {map[string]string{"OTEL_SDK_DISABLED": "true"}, nil},
		"no exporter": {map[string]string{"OTEL_TRACES_EXPORTER": "none"}, nil},
		"not sampled": {map[string]string{"OTEL_TRACES_SAMPLER": "parentbased_traceidratio", "OTEL_TRACES_SAMPLER_ARG": "0"},
			nil},
	} {
		t.Run(name, func(t *testing.T) {
			var c fakeCollector
			t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", c.start(t, test.variables["OTEL_EXPORTER_OTLP_PROTOCOL"]))
			t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "3600000") // only the exit exports
			for variable, value := range test.variables {
				t.Setenv(variable, value)
			}
			g, err := loadtest.Start(context.Background(), binary, "serve", "--store", "embedded:", "--listen", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			body := `{"query":"query Q{user(username:\"nobody\"){name}}"}`
			response, err := http.Post(g.URL+"/graphql", "application/json", strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			response.Body.Close()
			if err := g.Stop(); err != nil {
				t.Error(err)
			}
			slices.Sort(c.spans)
			if !slices.Equal(c.spans, test.want) {
				t.Errorf("%q, want %q", c.spans, test.want)
			}
		})
	}
}
