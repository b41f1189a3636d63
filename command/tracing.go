package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rs/zerolog"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.40.0"
)

const (
	exportTimeout    = 5 * time.Second
	exportErrorPause = time.Minute
)

// samplers has the values of OTEL_TRACES_SAMPLER, true for those with a ratio in
// OTEL_TRACES_SAMPLER_ARG.
func samplers() map[string]bool {
	return map[string]bool{
		"always_on": false, "always_off": false, "traceidratio": true,
		"parentbased_always_on": false, "parentbased_always_off": false, "parentbased_traceidratio": true,
	}
}

// tracing is nil without the standard variables OTEL_….
type tracing struct {
	provider *sdk.TracerProvider
	log      zerolog.Logger
}

// newTracing also sets the global provider, which gohbase uses.
func newTracing(ctx context.Context, log zerolog.Logger) (*tracing, error) {
	if !exporterConfigured() {
		return nil, nil
	}
	if err := checkSampler(os.Getenv("OTEL_TRACES_SAMPLER"), os.Getenv("OTEL_TRACES_SAMPLER_ARG")); err != nil {
		return nil, err
	}
	for _, variable := range endpoints() {
		if err := checkEndpoint(variable); err != nil {
			return nil, err
		}
	}
	for _, variable := range []string{"OTEL_EXPORTER_OTLP_TRACES_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS"} {
		if err := checkHeaders(variable); err != nil {
			return nil, err
		}
	}
	exporter, err := newExporter(ctx)
	if err != nil {
		return nil, err
	}
	attributes, err := resource.New(ctx,
		resource.WithAttributes(semconv.ServiceName("twibase"), semconv.ServiceVersion(mainVersion())),
		resource.WithTelemetrySDK(),
		resource.WithFromEnv(),
	)
	if err != nil {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w; write key=value,key=value", err)
	}
	t := &tracing{sdk.NewTracerProvider(sdk.WithBatcher(exporter), sdk.WithResource(attributes)), log}
	otel.SetTracerProvider(t.provider)
	otel.SetErrorHandler(logFailedExports(log))
	return t, nil
}

// logFailedExports logs one failure per exportErrorPause. While the collector is down, an export
// fails every few seconds.
func logFailedExports(log zerolog.Logger) otel.ErrorHandler {
	log = log.Sample(&zerolog.BurstSampler{Burst: 1, Period: exportErrorPause})
	return otel.ErrorHandlerFunc(func(err error) { log.Warn().Err(err).Msg("spans were not exported") })
}

// close exports the last spans. A failure does not change the exit status, which reports whether
// requests were cut off.
func (t *tracing) close() {
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), exportTimeout)
	defer cancel()
	if err := t.provider.Shutdown(ctx); err != nil {
		t.log.Warn().Err(err).Msg("the last spans were not exported")
	}
}

func exporterConfigured() bool {
	if strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") || os.Getenv("OTEL_TRACES_EXPORTER") == "none" {
		return false
	}
	return slices.ContainsFunc(append(endpoints(), "OTEL_TRACES_EXPORTER"), func(variable string) bool {
		return os.Getenv(variable) != ""
	})
}

func endpoints() []string {
	return []string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"}
}

// checkEndpoint rejects an invalid URL, which the SDK would replace by its default.
func checkEndpoint(variable string) error {
	value := os.Getenv(variable)
	if value == "" {
		return nil
	}
	if u, err := url.Parse(value); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return errors.New(variable + " must be a URL, such as http://127.0.0.1:4318")
	}
	return nil
}

var headerList = regexp.MustCompile("^(?:" + headerPair + ",)*" + headerPair + "$")

const headerPair = "(?:\\s*[!#$%&'*+.^_`|~0-9A-Za-z-]+\\s*=(?:[^%,]|%[0-9A-Fa-f]{2})*)?"

// checkHeaders rejects invalid headers, which the SDK would omit, and log with their secrets.
func checkHeaders(variable string) error {
	if headerList.MatchString(os.Getenv(variable)) {
		return nil
	}
	return errors.New(variable + " must be name=value,name=value, with values as in URLs, such as Authorization=Bearer%20TOKEN")
}

// The exporter reads other variables OTEL_… itself.
func newExporter(ctx context.Context) (*otlptrace.Exporter, error) {
	if name := os.Getenv("OTEL_TRACES_EXPORTER"); name != "" && name != "otlp" {
		return nil, fmt.Errorf("OTEL_TRACES_EXPORTER is %q: use otlp or none", name)
	}
	const variable = "OTEL_EXPORTER_OTLP_PROTOCOL"
	switch protocol := cmp.Or(os.Getenv("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"), os.Getenv(variable)); protocol {
	case "", "http/protobuf":
		return otlptracehttp.New(ctx)
	case "grpc":
		return otlptracegrpc.New(ctx)
	default:
		return nil, fmt.Errorf("%s is %q: use http/protobuf or grpc", variable, protocol)
	}
}

// checkSampler rejects an invalid sampler, which the SDK would replace by its default.
func checkSampler(name, arg string) error {
	hasRatio, known := samplers()[name]
	switch {
	case name != "" && !known:
		names := strings.Join(slices.Sorted(maps.Keys(samplers())), ", ")
		return fmt.Errorf("OTEL_TRACES_SAMPLER is %q: use one of %s", name, names)
	case hasRatio && arg != "":
		if ratio, err := strconv.ParseFloat(arg, 64); err != nil || !(ratio >= 0 && ratio <= 1) {
			return errors.New("OTEL_TRACES_SAMPLER_ARG must be a ratio from 0 to 1, such as 0.01")
		}
	}
	return nil
}

func mainVersion() string {
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		return ""
	}
	return info.Main.Version
}
