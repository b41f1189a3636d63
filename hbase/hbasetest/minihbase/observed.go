package minihbase

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

// Observed returns the observations of a gohbase histogram, for all region servers.
func Observed(t testing.TB, metric string) (n int64) {
	t.Helper()
	families, err := prometheus.DefaultGatherer.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		if family.GetName() == metric {
			for _, m := range family.GetMetric() {
				n += int64(m.GetHistogram().GetSampleCount())
			}
		}
	}
	return n
}
