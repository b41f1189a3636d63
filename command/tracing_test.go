package command

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
)

func TestWrongTracingVariables(t *testing.T) {
	for _, test := range []struct{ variable, value, want string }{
		{"OTEL_EXPORTER_OTLP_ENDPOINT", "localhost:4318", "must be a URL"},
		{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "collector", "must be a URL"},
		{"OTEL_EXPORTER_OTLP_PROTOCOL", "http/json", "use http/protobuf or grpc"},
		{"OTEL_TRACES_EXPORTER", "zipkin", "use otlp or none"},
		{"OTEL_TRACES_SAMPLER", "sometimes", "always_off, always_on"},
		{"OTEL_TRACES_SAMPLER_ARG", "1%", "ratio from 0 to 1"},
	} {
		t.Run(test.variable, func(t *testing.T) {
			t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4318")
			t.Setenv("OTEL_TRACES_SAMPLER", "parentbased_traceidratio")
			t.Setenv(test.variable, test.value)
			status, _, stderr := command(t, "serve", "--store", "embedded:", "--listen", "127.0.0.1:0")
			if status != statusFailed || !strings.Contains(stderr, test.variable) || !strings.Contains(stderr, test.want) {
				t.Errorf("status %d: %s", status, stderr)
			}
		})
	}
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
