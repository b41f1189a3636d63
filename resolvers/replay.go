package resolvers

import (
	"context"
	"slices"
	"strings"
	"time"

	"twibase/hbase/tables"
	"twibase/live"
	"twibase/loaders"
)

const (
	replayPageSize = 100
	replayTimeout  = 30 * time.Second
)

// replay sends, oldest first, the entries that arrived after received, the client's last entry, and
// that the subscription does not deliver. It begins with older entries that may have arrived late.
// So if it is interrupted, the client has all entries before its last one. It holds one page,
// because clients may read slowly.
func replay[T any](
	ctx context.Context, r *subscriptionResolver, from eventSource[T], s *stream, received live.Key, send func(*T) error,
) error {
	oldest, err := oldestLate(received)
	if err != nil {
		return err
	}
	for last, before := from.position(received), from.position(oldest); ; {
		page, err := replayPage(ctx, r, from, loaders.PageKey{Owner: s.owner,
			Range: &loaders.Range{Before: before, Limit: replayPageSize, Backward: true}})
		if err != nil {
			return err
		}
		for i, entry := range slices.Backward(page.Members) {
			position := page.Positions[i]
			if entry == nil || position == last {
				continue
			}
			key := from.key(entry)
			if s.Delivers(key) || position > last && !s.MayHaveMissed(key, received) {
				continue
			}
			if at, err := tables.TimeAt(key.Position); err == nil && s.begun.Sub(at) <= live.MaxReordering {
				s.replayed[key] = true
			}
			if err := send(entry); err != nil {
				return err
			}
		}
		if !page.HasPrevious || len(page.Positions) == 0 {
			return nil
		}
		before = page.Positions[0]
	}
}

// oldestLate returns a key that is older than all entries that may have arrived after received.
func oldestLate(received live.Key) (live.Key, error) {
	at, err := tables.TimeAt(received.Position)
	if err != nil {
		return live.Key{}, err
	}
	oldest := at.Add(-live.MaxReordering - time.Millisecond)
	if oldest.Before(tables.UnknownTime) {
		oldest = tables.UnknownTime
	}
	rest := strings.TrimPrefix(received.Position, tables.LaterThan(at))
	return live.Key{Owner: received.Owner, Position: tables.LaterThan(oldest) + rest}, nil
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
