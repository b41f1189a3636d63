package writers

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// sweeper is how far the sweeps have come.
type sweeper struct {
	mu    sync.Mutex
	whole time.Time
	// from is the time before which there were no intents at the last sweep but those of open. A scan is slow where many intents were removed,
	// so it does not go back to a few that are open for long.
	from time.Time
	open []string
}

// came notes which rows, the oldest first, there were up to a time.
func (s *sweeper) came(to time.Time, rows []hbase.Row) {
	s.from, s.open = to.Add(-skew), nil
	for i, row := range rows {
		id := row.Key[1:]
		if at, err := tables.OpTime(id); len(rows) > pageSize && i == 0 && err == nil && at.Before(to) {
			s.from = at.Add(-skew)
		}
		if id < tables.NewOp(s.from, 0) {
			s.open = append(s.open, id)
		}
	}
}

// old returns the rows of the intents of a time, and of these open ones of before, the oldest first.
func (w *Writers) old(ctx context.Context, from, to time.Time, open []string) ([]hbase.Row, error) {
	p := client{w, "sweep"}
	shards := make([][]hbase.Row, tables.OutboxShards)
	g, scanning := errgroup.WithContext(ctx)
	g.SetLimit(w.parallel)
	for shard := range shards {
		g.Go(func() error {
			scan := tables.Intents.Scan(shard, from, to)
			scan.PageSize = pageSize
			ctx, over := p.call(scanning, "scan")
			defer over()
			for row, err := range w.store.Scan(ctx, scan) {
				if err == nil {
					_, err = tables.Intents.IDOf(row.Key)
				}
				if err != nil {
					return err
				}
				shards[shard] = append(shards[shard], row)
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	gets := make([]hbase.Get, len(open))
	for i, id := range open {
		gets[i] = tables.Intents.Get(id)
	}
	cells, err := p.get(ctx, "open", gets)
	if err != nil {
		return nil, err
	}
	rows := slices.Concat(shards...)
	for i, get := range gets {
		if len(cells[i]) > 0 {
			rows = append(rows, hbase.Row{Key: get.Row, Cells: cells[i]})
		}
	}
	slices.SortFunc(rows, func(a, b hbase.Row) int { return cmp.Compare(a.Key[1:], b.Key[1:]) })
	return rows, nil
}
