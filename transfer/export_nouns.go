package transfer

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/settle"
)

// emit takes one row, its fields in the order of the form's columns.
type emit func(fields ...string) error

// exporters bring the rows of each form, by its name.
var exporters = map[string]func(ctx context.Context, store hbase.Store, row emit) error{
	"users": func(ctx context.Context, store hbase.Store, row emit) error {
		return objects(ctx, store, tables.Users, []string{"name", "email", "age", "avatarUrl", "createdAt"}, func(u *tables.User) error {
			return row(u.Username, *u.Name, value(u.Email), number(u.Age), value(u.AvatarURL), instant(u.CreatedAt))
		})
	},
	"departments": func(ctx context.Context, store hbase.Store, row emit) error {
		return exportDepartments(ctx, store, row)
	},
	"roles": func(ctx context.Context, store hbase.Store, row emit) error {
		return objects(ctx, store, tables.Roles, []string{"name", "department"}, func(r *tables.Role) error {
			return row(r.Code, *r.Name, value(r.DepartmentCode))
		})
	},
	"games": func(ctx context.Context, store hbase.Store, row emit) error {
		return objects(ctx, store, tables.Games, []string{"name"}, func(g *tables.Game) error { return row(g.Code, *g.Name) })
	},
	"user_roles": func(ctx context.Context, store hbase.Store, row emit) error {
		return edges(ctx, store, tables.Assignments, func(username, role string, _ time.Time) error { return row(username, role) })
	},
	"follows": func(ctx context.Context, store hbase.Store, row emit) error {
		return edges(ctx, store, tables.Follows, func(follower, followee string, at time.Time) error {
			if at.Equal(tables.Unknown) {
				return row(follower, followee, "")
			}
			return row(follower, followee, instant(&at))
		})
	},
	"twits": func(ctx context.Context, store hbase.Store, row emit) error {
		return twits(ctx, store, func(some []*tables.Twit) error {
			for _, t := range some {
				visibility := ""
				if t.Visibility != tables.Public {
					visibility = t.Visibility.String()
				}
				err := row(t.Name, t.AuthorName, instant(&t.PostedAt), t.Content, strings.Join(t.PhotoURLs, " "), value(t.Title), visibility)
				if err != nil {
					return err
				}
			}
			return nil
		})
	},
	"comments": comments,
	"plays":    allPlays,
}

func objects[T any](ctx context.Context, store hbase.Store, o *tables.Object[T], fields []string, f func(*T) error) error {
	for s, err := range settle.Objects(ctx, store, o, fields...) {
		if err == nil {
			err = f(s.Value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func edges(ctx context.Context, store hbase.Store, e *tables.Relation, f func(a, b string, at time.Time) error) error {
	for row, err := range store.Scan(ctx, hbase.Scan{Table: e.Table, Columns: tables.Attributes}) {
		if err != nil {
			return err
		}
		a, b, err := e.Ends(row.Key)
		if err != nil {
			return err
		}
		related, at, err := e.Decode(row.Cells)
		if err == nil && related {
			err = f(a, b, at)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// twits hands over all twits, author after author and newest first, some at a time.
func twits(ctx context.Context, store hbase.Store, f func([]*tables.Twit) error) error {
	var authors []string
	flush := func() error {
		err := settle.Spans(ctx, store, tables.Twits, authors, func(span *settle.Span[*tables.Twit]) error {
			some, err := covered(span)
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

// covered returns the members of a span that lie where they should: each member of a list once.
func covered[E any](span *settle.Span[E]) ([]E, error) {
	members, err := span.Members()
	some := members[:0]
	for i, member := range members {
		if span.Covers(i) {
			some = append(some, member)
		}
	}
	return some, err
}

func comments(ctx context.Context, store hbase.Store, row emit) error {
	return twits(ctx, store, func(some []*tables.Twit) error {
		for chunk := range slices.Chunk(some, ownersRead) {
			names, owners := map[string]string{}, make([]string, len(chunk))
			for i, t := range chunk {
				owners[i] = t.Key().String()
				names[owners[i]] = t.Name
			}
			err := settle.Spans(ctx, store, tables.Comments, owners, func(span *settle.Span[*tables.Comment]) error {
				some, err := covered(span)
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

func allPlays(ctx context.Context, store hbase.Store, row emit) error {
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

func number(n *int) string {
	if n == nil {
		return ""
	}
	return strconv.Itoa(*n)
}

func instant(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}
