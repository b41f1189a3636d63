package resolvers

import (
	"context"

	"twibase/graph/report"
	"twibase/loaders"
)

// RecordCalls records the calls of loaders and writers for ctx. levels ends the record and returns
// it.
func RecordCalls(ctx context.Context) (levels func() []report.Level) {
	rounds := loaders.Trace(ctx, report.Path)
	return func() []report.Level {
		all := []report.Level{}
		for _, r := range rounds() {
			all = append(all, level(r))
		}
		return all
	}
}

func level(r *loaders.Round) report.Level {
	s, calls := r.Stats, r.Stats.Servers.All()
	l := report.Level{
		Path: r.Fields, Loaders: make([]report.Loader, len(r.Loaders)), Servers: make([]report.Server, len(calls)),
		RPCs: s.RPCs.Load(), RegionServers: len(calls), Tables: s.Tables.Names(),
		Gets: s.Gets.Load(), Scans: s.Scans.Load(), Rows: s.Rows.Load(), Bytes: s.Bytes.Load(),
		Begun: r.Begun, Ms: report.Ms(r.Took), Stalled: r.Stalled,
	}
	for i, u := range r.Loaders {
		l.Loaders[i] = report.Loader{Name: u.Loader, Keys: u.Keys, Hits: u.Hits, Gets: u.Gets, Ms: report.Ms(u.Took)}
	}
	for i, c := range calls {
		l.Servers[i] = report.Server{Name: c.Server, RPCs: c.RPCs, Gets: c.Gets,
			StartMs: report.Ms(c.Begun.Sub(r.Begun)), Ms: report.Ms(c.Ended.Sub(c.Begun))}
	}
	return l
}
