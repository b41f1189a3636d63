package resolvers

import (
	"context"
	"slices"
	"time"

	"twibase/hbase/tables"
	"twibase/live"
	"twibase/loaders"
)

const (
	replayPageSize = 100
	replayTimeout  = 30 * time.Second
)

// replay sends the entries that arrived after received, the client's last entry, except those that
// the subscription delivers. It sends older entries that may have arrived late, then newer ones,
// both oldest first. So if it is interrupted, the client has all entries before its last one.
func replay[T any](
	ctx context.Context, r *subscriptionResolver, from eventSource[T], s *stream, received live.Key, send func(*T) error,
) error {
	page := func(w loaders.Range) (candidates[T], error) {
		return replayPage(ctx, r, from, loaders.PageKey{Owner: s.owner, Range: &w})
	}
	sendAll := func(newestFirst []*T) error {
		for _, entry := range slices.Backward(newestFirst) {
			if entry == nil || s.Delivers(from.key(entry)) {
				continue
			}
			key := from.key(entry)
			if at, err := tables.TimeAt(key.Position); err == nil && s.begun.Sub(at) <= live.MaxReordering {
				s.replayed[key] = true
			}
			if err := send(entry); err != nil {
				return err
			}
		}
		return nil
	}
	late, err := lateEntries(from, s, received, page)
	if err != nil {
		return err
	}
	if err := sendAll(late); err != nil {
		return err
	}
	for before := from.position(received); ; {
		newer, err := page(loaders.Range{Before: before, Limit: replayPageSize, Backward: true})
		if err != nil {
			return err
		}
		if err := sendAll(newer.Members); err != nil {
			return err
		}
		if !newer.HasPrevious || len(newer.Positions) == 0 {
			return nil
		}
		before = newer.Positions[0]
	}
}

// lateEntries returns entries that are older than received, but may have arrived after it, newest
// first.
func lateEntries[T any](
	from eventSource[T], s *stream, received live.Key, page func(loaders.Range) (candidates[T], error),
) (late []*T, err error) {
	at, err := tables.TimeAt(received.Position)
	if err != nil {
		return nil, err
	}
	oldest := tables.LaterThan(at.Add(-live.MaxReordering))
	for position := from.position(received); position < oldest; {
		older, err := page(loaders.Range{After: position, Limit: replayPageSize})
		if err != nil {
			return nil, err
		}
		for _, entry := range older.Members {
			if entry != nil && s.MayHaveMissed(from.key(entry), received) {
				late = append(late, entry)
			}
		}
		if !older.HasNext || len(older.Positions) == 0 {
			break
		}
		position = older.Positions[len(older.Positions)-1]
	}
	return late, nil
}

func replayPage[T any](
	ctx context.Context, r *subscriptionResolver, from eventSource[T], key loaders.PageKey,
) (candidates[T], error) {
	ctx, cancel := context.WithTimeout(ctx, replayTimeout)
	defer cancel()
	ctx, end := newTask(ctx, r.WithLoaders)
	defer end()
	found, err := from.read(ctx, []loaders.PageKey{key})
	return found[0], loaders.At(err, 0)
}

// newTask makes the caller a task with new loaders until end is called.
func newTask(ctx context.Context, withLoaders func(context.Context) context.Context) (_ context.Context, end func()) {
	ctx = withLoaders(ctx)
	tasks := loaders.TasksOf(ctx)
	tasks.Start(1)
	return ctx, tasks.End
}
