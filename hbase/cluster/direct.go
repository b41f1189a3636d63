package cluster

import (
	"context"

	"twibase/hbase"
)

// getDirectly sends Gets to the regions that gohbase has located, as one multi per region server, whatever the tables.
// It returns the indexes of the Gets that are not answered: gohbase has to locate their regions, or to retry them.
//
// gohbase's own batches have one table each. Sent at once, they are a multi per table and server; held back until
// others come, they are one multi, and late.
func (s *Store) getDirectly(
	ctx context.Context, gets []hbase.Get, selections []*selection, valid []int, results []hbase.Result,
) (rest []int) {
	servers, rest := s.located.route(gets, valid)
	stats := hbase.StatsOf(ctx)
	var multis []*multi
	for server, regions := range servers {
		stats.Servers.Add(server.Addr())
		for _, chunk := range chunksOf(regions, s.maxMulti) {
			m := newMulti(ctx, server, chunk, gets, selections)
			s.multiSize.WithLabelValues(server.Addr()).Observe(float64(len(m.gets)))
			m.send()
			multis = append(multis, m)
		}
	}
	stats.RPCs.Add(int64(len(multis)))
	for _, m := range multis {
		answered := m.wait()
		for at, i := range m.gets {
			if answered[at] {
				results[i].Cells = m.cells[at]
			} else {
				rest = append(rest, i)
			}
		}
	}
	return rest
}

// chunksOf divides the Gets for a server into multis of at most size Gets.
func chunksOf(regions []regionGets, size int) (chunks [][]regionGets) {
	var chunk []regionGets
	room := size
	for _, r := range regions {
		for len(r.gets) > 0 {
			n := min(room, len(r.gets))
			chunk = append(chunk, regionGets{r.region, r.gets[:n]})
			r.gets = r.gets[n:]
			if room -= n; room == 0 {
				chunks, chunk, room = append(chunks, chunk), nil, size
			}
		}
	}
	if len(chunk) > 0 {
		chunks = append(chunks, chunk)
	}
	return chunks
}
