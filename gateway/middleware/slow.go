package middleware

import (
	"time"

	"github.com/rs/zerolog"

	"twibase/graph/endpoint"
	"twibase/hbase"
)

// Slow configures logging of slow operations.
type Slow struct {
	After   time.Duration // the shortest slow duration; 0 logs none
	Servers bool          // also log the region servers called
}

func (s Slow) stats() *hbase.Stats {
	stats := new(hbase.Stats)
	if s.After > 0 && s.Servers {
		stats.Servers = new(hbase.Servers)
	}
	return stats
}

// log omits the viewer and the values of variables.
func (s Slow) log(log *zerolog.Logger, trace *endpoint.Trace, stats *hbase.Stats, took time.Duration) {
	if s.After <= 0 || took < s.After || trace.Kind == "" || trace.Kind == "subscription" {
		return
	}
	line := withCosts(log.Warn(), trace, stats, took).
		Str("client", short(trace.Client)).Str("clientVersion", short(trace.ClientVersion)).
		Str("hash", trace.DocumentHash()).Str("variables", trace.Variables())
	if s.Servers {
		servers := []string{}
		for _, calls := range stats.Servers.All() {
			servers = append(servers, calls.Server)
		}
		line.Strs("servers", servers)
	}
	line.Msg("slow operation")
}
