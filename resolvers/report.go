package resolvers

import (
	"context"

	"twibase/graph/report"
	"twibase/loaders"
)

// Watch starts to record the loader calls of ctx. levels ends that, and returns them for the
// report.
func Watch(ctx context.Context) (levels func() []report.Level) {
	rounds := loaders.Trace(ctx, report.Path)
	return func() []report.Level {
		all := []report.Level{}
		for _, r := range rounds() {
			l := report.Level{
				Path: r.Fields, Loaders: make([]report.Loader, len(r.Loaders)),
				RPCs: r.Stats.RPCs.Load(), RegionServers: r.Stats.Servers.Len(), Ms: report.Ms(r.Took),
				Gets: r.Stats.Gets.Load(), Scans: r.Stats.Scans.Load(), Rows: r.Stats.Rows.Load(), Bytes: r.Stats.Bytes.Load(),
				Stalled: r.Stalled,
			}
			for i, u := range r.Loaders {
				l.Loaders[i] = report.Loader{Name: u.Loader, Keys: u.Keys, Hits: u.Hits, Gets: u.Gets, Ms: report.Ms(u.Took)}
			}
			all = append(all, l)
		}
		return all
	}
}
