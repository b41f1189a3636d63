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

// ownersRead is how many owners' lists are read together.
const ownersRead = 256

// eachMember calls f with the members of the lists of these owners, owner after owner.
func eachMember[E any](ctx context.Context, store hbase.Store, l *tables.List[E], owners []string,
	f func(owner string, members []E) error) error {
	for some := range slices.Chunk(owners, ownersRead) {
		err := rebuild.Spans(ctx, store, &l.AnyList, some, func(span *rebuild.Span) error {
			members, _, _, err := l.Decode(span.Owner, span.Cells)
			if err != nil {
				return err
			}
			return f(span.Owner, members)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// eachTwit calls f with all twits, author after author and newest first, some at a time.
func eachTwit(ctx context.Context, store hbase.Store, f func([]*tables.Twit) error) error {
	var authors []string
	flush := func() error {
		defer func() { authors = authors[:0] }()
		return eachMember(ctx, store, tables.Twits, authors, func(_ string, twits []*tables.Twit) error { return f(twits) })
	}
	for u, err := range rebuild.Objects(ctx, store, tables.Users) {
		if err != nil {
			return err
		}
		if authors = append(authors, u.Username); len(authors) == ownersRead {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

func exportTwits(ctx context.Context, store hbase.Store, row emit) error {
	return eachTwit(ctx, store, func(twits []*tables.Twit) error {
		for _, t := range twits {
			visibility := ""
			if t.Visibility != tables.Public {
				visibility = t.Visibility.String()
			}
			err := row(t.Name, t.AuthorName, instant(t.PostedAt), t.Content,
				strings.Join(t.PhotoURLs, " "), value(t.Title), visibility)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func exportComments(ctx context.Context, store hbase.Store, row emit) error {
	return eachTwit(ctx, store, func(twits []*tables.Twit) error {
		owners := make([]string, len(twits))
		for i, t := range twits {
			owners[i] = t.Key().String()
		}
		return eachMember(ctx, store, tables.Comments, owners, func(owner string, comments []*tables.Comment) error {
			for _, c := range comments {
				if err := row(tables.PostedTwits.NameOf(owner), c.AuthorName, instant(c.PostedAt), c.Content); err != nil {
					return err
				}
			}
			return nil
		})
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

func instant(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
