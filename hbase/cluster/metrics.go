package cluster

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"
)

// multiSize returns gohbase's own histogram of multis. This package sends multis of its own, which gohbase does
// not count there. gohbase has registered the metric, so registering it again returns it. (As RPCs gohbase counts
// all of them, in gohbase_rpc_size_bytes.)
func multiSize() *prometheus.HistogramVec {
	again := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Namespace: "gohbase", Name: "batch_flush_size", Help: "Number of RPCs sent in multis",
	}, []string{"regionserver"})
	if existing := (prometheus.AlreadyRegisteredError{}); errors.As(prometheus.Register(again), &existing) {
		return existing.ExistingCollector.(*prometheus.HistogramVec)
	}
	return again // this version of gohbase has no such metric
}
