package transfer

import (
	"context"
	"hash/maphash"

	"golang.org/x/sync/errgroup"
)

const (
	workers   = 4 // concurrent batches
	batchRows = 4096
)

type item[T any] struct {
	location
	value T
}

func read[T any](ctx context.Context, im *importer, schema string, parse func(*row) T, f func(item[T]) error) error {
	for _, file := range im.files {
		if file.schema.name != schema {
			continue
		}
		rows := 0
		err := file.rows(func(r *row) error {
			if rows++; rows == batchRows {
				im.progress.read(file.name, rows)
				rows = 0
			}
			var value T
			if r.err == nil {
				value = parse(r)
			}
			if r.err != nil {
				return im.progress.skip(r.err)
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			return f(item[T]{r.location, value})
		})
		im.progress.read(file.name, rows)
		if err != nil {
			return err
		}
	}
	return nil
}

// pipe calls write concurrently. Rows with the same key are written in order.
func pipe[T any](ctx context.Context, im *importer, schema string, parse func(*row) T, key func(T) string,
	write func(context.Context, []item[T]) error) error {
	g, ctx := errgroup.WithContext(ctx)
	var queues [workers]chan []item[T]
	for i := range queues {
		queues[i] = make(chan []item[T], 1)
		g.Go(func() error {
			for batch := range queues[i] {
				if err := write(ctx, batch); err != nil {
					return err
				}
			}
			return nil
		})
	}
	g.Go(func() error {
		var batches [workers][]item[T]
		send := func(i int) error {
			select {
			case queues[i] <- batches[i]:
				batches[i] = nil
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		defer func() {
			for i := range queues {
				close(queues[i])
			}
		}()
		seed := maphash.MakeSeed()
		err := read(ctx, im, schema, parse, func(it item[T]) error {
			i := int(maphash.String(seed, key(it.value)) % workers)
			if batches[i] == nil {
				batches[i] = make([]item[T], 0, batchRows)
			}
			if batches[i] = append(batches[i], it); len(batches[i]) == batchRows {
				return send(i)
			}
			return nil
		})
		for i := range batches {
			if err == nil && len(batches[i]) > 0 {
				err = send(i)
			}
		}
		return err
	})
	return g.Wait()
}
