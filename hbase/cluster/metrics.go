package cluster

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/tsuna/gohbase/hrpc"
)

// multiSize is gohbase's own histogram of multis. The multis that are made here pass by where gohbase counts its own, and belong into the same
// metric; gohbase registers it, so it is had by registering it again. (That each is an RPC gohbase counts by itself, in gohbase_rpc_size_bytes.)
var multiSize = func() *prometheus.HistogramVec {
	again := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Namespace: "gohbase", Name: "batch_flush_size", Help: "Number of RPCs sent in multis",
	}, []string{"regionserver"})
	if there := (prometheus.AlreadyRegisteredError{}); errors.As(prometheus.Register(again), &there) {
		return there.ExistingCollector.(*prometheus.HistogramVec)
	}
	return again // of another version of gohbase, that has no such metric
}()

func countMulti(server hrpc.RegionClient, gets int) {
	multiSize.WithLabelValues(server.Addr()).Observe(float64(gets))
}
