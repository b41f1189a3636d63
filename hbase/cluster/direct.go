package cluster

import (
	"context"

	"twibase/hbase"
)

// getDirectly sends Gets to where gohbase knows their regions to be, as one multi to a region server, whatever the tables. It returns the indexes
// of those that are still to be answered: gohbase has to find their regions, or to try them again.
//
// gohbase's own batches are of one table each. Sent at once they are a multi for each table and server, or now and then one for two, which
// nobody is told; held back until others come they are one, and late.
func (s *Store) getDirectly(ctx context.Context, gets []hbase.Get, selections []*selection, valid []int, results []hbase.Result) (rest []int) {
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
