package command

import (
	"bytes"
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
)

func TestInvalidTracingVariablesAreUsageErrors(t *testing.T) {
	for _, test := range []struct{ variable, value, want string }{
		{"OTEL_EXPORTER_OTLP_ENDPOINT", "localhost:4318", "must be a URL"},
		{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "collector", "must be a URL"},
		{"OTEL_EXPORTER_OTLP_PROTOCOL", "http/json", "use http/protobuf or grpc"},
		{"OTEL_TRACES_EXPORTER", "zipkin", "use otlp or none"},
		{"OTEL_TRACES_SAMPLER", "sometimes", "always_off, always_on"},
		{"OTEL_TRACES_SAMPLER_ARG", "1%", "ratio from 0 to 1"},
		{"OTEL_EXPORTER_OTLP_HEADERS", "Authorization Bearer SECRET", "must be name=value"},
		{"OTEL_EXPORTER_OTLP_TRACES_HEADERS", "a=b,Authorization=%zzSECRET", "must be name=value"},
	} {
		t.Run(test.variable, func(t *testing.T) {
			t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4318")
			t.Setenv("OTEL_TRACES_SAMPLER", "parentbased_traceidratio")
			t.Setenv(test.variable, test.value)
			status, _, stderr := command(t, "serve", "--store", "embedded:", "--listen", "127.0.0.1:0")
			if status != statusFailed || !strings.Contains(stderr, test.variable) || !strings.Contains(stderr, test.want) ||
				strings.Contains(stderr, "SECRET") {
				t.Errorf("status %d: %s", status, stderr)
			}
		})
	}
}

func TestInvalidTracingHeadersAreRejected(t *testing.T) {
	const variable = "OTEL_EXPORTER_OTLP_HEADERS"
	for value, valid := range map[string]bool{
		"": true, "a=": true, "a=b": true, "a=b,": true, "Authorization=Bearer%20x==,x-b = c d": true,
		"a": false, "a=b,c": false, "=b": false, "a b=c": false, "ä=b": false, "a=%": false, "a=%2": false,
	} {
		t.Setenv(variable, value)
		if err := checkHeaders(variable); (err == nil) != valid {
			t.Errorf("%q: %v", value, err)
		}
	}
}

func TestUnresponsiveCollectorDoesNotChangeTheExitStatus(t *testing.T) {
	collector, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { collector.Close() }) // after the server
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://"+collector.Addr().String())
	url, _ := started(t) // checks the status
	send(t, http.MethodGet, url+"/graphql?query={__typename}", "")
}

func TestFailedExportsAreLoggedOncePerMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		failures := logFailedExports(zerolog.New(&log))
		for range 30 { // 150 seconds
			failures.Handle(errors.New("connection refused"))
			time.Sleep(5 * time.Second)
		}
		line := `{"level":"warn","error":"connection refused","message":"spans were not exported"}` + "\n"
		if want := strings.Repeat(line, 3); log.String() != want {
			t.Errorf("got %s, want %s", log.String(), want)
		}
	})
}
