package transfer

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/rebuild"
)

// emit takes one row, its fields in the order of the schema's columns.
type emit func(fields ...string) error

func exportTwits(ctx context.Context, store hbase.Store, row emit) error {
	return twits(ctx, store, func(some []*tables.Twit) error {
		for _, t := range some {
			visibility := ""
			if t.Visibility != tables.Public {
				visibility = t.Visibility.String()
			}
			err := row(t.Name, t.AuthorName, instant(&t.PostedAt), t.Content, strings.Join(t.PhotoURLs, " "), value(t.Title),
				visibility)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func objects[T any](ctx context.Context, store hbase.Store, o *tables.Object[T], fields []string, f func(*T) error) error {
	for s, err := range rebuild.Objects(ctx, store, o, fields...) {
		if err == nil {
			err = f(s.Value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// twits calls f with all twits, author after author and newest first, some at a time.
func twits(ctx context.Context, store hbase.Store, f func([]*tables.Twit) error) error {
	var authors []string
	flush := func() error {
		err := rebuild.Spans(ctx, store, &tables.Twits.AnyList, authors, func(span *rebuild.Span) error {
			some, err := rebuild.Covered(tables.Twits, span)
			if err != nil {
				return err
			}
			return f(some)
		})
		authors = authors[:0]
		return err
	}
	err := objects(ctx, store, tables.Users, nil, func(u *tables.User) error {
		if authors = append(authors, u.Username); len(authors) == ownersRead {
			return flush()
		}
		return nil
	})
	if err != nil {
		return err
	}
	return flush()
}

// ownersRead is how many owners' lists are read together.
const ownersRead = 256

func exportComments(ctx context.Context, store hbase.Store, row emit) error {
	return twits(ctx, store, func(some []*tables.Twit) error {
		for chunk := range slices.Chunk(some, ownersRead) {
			names, owners := map[string]string{}, make([]string, len(chunk))
			for i, t := range chunk {
				owners[i] = t.Key().String()
				names[owners[i]] = t.Name
			}
			err := rebuild.Spans(ctx, store, &tables.Comments.AnyList, owners, func(span *rebuild.Span) error {
				some, err := rebuild.Covered(tables.Comments, span)
				if err != nil {
					return err
				}
				for _, c := range some {
					if err := row(names[span.Owner], c.AuthorName, instant(&c.PostedAt), c.Content); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func exportPlays(ctx context.Context, store hbase.Store, row emit) error {
	for r, err := range store.Scan(ctx, hbase.Scan{Table: tables.Plays.Table}) {
		if err != nil {
			return err
		}
		username, game, err := tables.Plays.Ends(r.Key)
		if err != nil {
			return err
		}
		days, err := tables.Plays.Decode(r.Cells)
		if err != nil {
			return err
		}
		for _, day := range days {
			if err := row(username, game, day.Day, strconv.Itoa(day.Count)); err != nil {
				return err
			}
		}
	}
	return nil
}

func instant(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}
