package cluster

import (
	"github.com/prometheus/client_golang/prometheus"

	"twibase/hbase/cluster/kerberos"
)

func newExceptionCounter() *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "twibase_store_exceptions_total",
		Help: "Exceptions of HBase by class, if the call failed or the server was busy. Those that gohbase handles, " +
			"such as for a moved region, are not counted.",
	}, []string{"exception"})
}

// Metrics returns the collectors of an unconnected store with Kerberos, for tests of dashboards and
// alerts.
func Metrics() []prometheus.Collector {
	return (&Store{exceptions: newExceptionCounter(), login: new(kerberos.Login)}).Metrics()
}

// Metrics returns the store's collectors.
func (s *Store) Metrics() []prometheus.Collector {
	collectors := []prometheus.Collector{
		s.exceptions,
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "twibase_store_servers_unresponsive",
			Help: "Region servers that have not answered within the timeout of calls, and whose regions do not answer yet.",
		}, func() float64 { return float64(s.breaker.countUnresponsive()) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "twibase_store_regions_refused",
			Help: "Regions to which calls fail immediately, because earlier calls were not answered.",
		}, func() float64 { return float64(s.breaker.open.Load()) }),
	}
	if s.login == nil {
		return collectors
	}
	return append(collectors,
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "twibase_kerberos_ticket_expiry_timestamp_seconds",
			Help: "Time at which the ticket of --hbase-principal expires.",
		}, func() float64 { return float64(s.login.Expiry()) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "twibase_kerberos_login_failures_total",
			Help: "Failed attempts to renew the ticket of --hbase-principal.",
		}, func() float64 { return float64(s.login.Failures()) }),
	)
}

func (s *Store) observe(err error) {
	class := exceptionOf(err)
	if class == "" {
		return
	}
	s.exceptions.WithLabelValues(class).Inc()
	if class == "AccessDeniedException" {
		s.reportDenied(err.Error())
	}
}
