package writers

import (
	"context"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/hbase/tables/listscan"
)

const pageSize = 128

func (x *execution) each(ctx context.Context, e each, label string) error {
	if err := x.mark(ctx); err != nil {
		return err
	}
	return e.run(ctx, x.client, func(effects []effect) (proceed bool, err error) {
		err = x.applyPage(ctx, effects, label+e.String()+" ")
		return !x.ended(err), err
	})
}

// applyPage verifies members before it returns: a later stage may remove the items from the list,
// and after a crash no execution would find them, to write their members again.
func (x *execution) applyPage(ctx context.Context, effects []effect, label string) error {
	var others stage
	g, together := errgroup.WithContext(ctx)
	g.SetLimit(x.w.parallel)
	for _, e := range effects {
		if n, ok := e.(nested); ok {
			g.Go(func() error { return x.runNested(together, n) })
		} else {
			others = append(others, e)
		}
	}
	if err := g.Wait(); x.ended(err) {
		return err
	}
	if err := x.applyStage(ctx, others, label); x.ended(err) {
		return err
	}
	return x.verifyAll(ctx)
}

// eachMember may miss a member that is added concurrently: the operation that adds it finds the
// owner deleted, and compensates.
func eachMember[E any](l *tables.List[E], owner string, item func(E) effect) effect {
	return eachPage(&l.AnyList, owner, func(cells []hbase.Cell) (effects []effect, err error) {
		members, _, err := l.Decode(owner, cells)
		for _, m := range members {
			effects = append(effects, item(m))
		}
		return effects, err
	})
}

func eachCounterpart(end *tables.End, owner string, item func(counterpart string) effect) effect {
	return eachPage(end.List, owner, func(cells []hbase.Cell) (effects []effect, err error) {
		for _, c := range cells {
			counterpart, _, err := end.Counterpart(owner, c)
			if err != nil {
				return nil, err
			}
			effects = append(effects, item(counterpart))
		}
		return effects, nil
	})
}

func eachPage(l *tables.AnyList, owner string, effects func(members []hbase.Cell) ([]effect, error)) effect {
	return each{l.String(), func(ctx context.Context, c client, apply pageApplier) error {
		for after, more := "", true; more; {
			scan, err := c.scanList(ctx, l, owner, &listscan.Range{After: after, Limit: pageSize, Far: after != ""})
			if err != nil {
				return err
			}
			members := scan.Cells()
			items, err := effects(members)
			if err != nil {
				return err
			}
			if proceed, err := apply(items); !proceed {
				return err
			}
			if more = scan.HasNext(); more {
				after = members[len(members)-1].Qualifier
			}
		}
		return nil
	}}
}

// scanList repeats a scan that took grace/2 or longer: the cleanup of a split may have deleted
// copies that it needed.
func (c client) scanList(
	ctx context.Context, l *tables.AnyList, owner string, r *listscan.Range,
) (*listscan.Scan, error) {
	for {
		began, scan := time.Now(), listscan.New(l, owner, r)
		err := listscan.Run(c.getter(ctx, "each"), scan)
		if err != nil || time.Since(began) < grace/2 {
			return scan, err
		}
	}
}

// clearings has the effects that clear the lists of a deleted owner, except lists of relations. An
// effect is nil if other effects of the deletion clear the list.
var clearings = map[*tables.AnyList]func(owner string) effect{
	&tables.Twits.AnyList:  deleteTwits,
	&tables.Albums.AnyList: nil,
	&tables.Timelines.AnyList: func(owner string) effect {
		row := tables.Timelines.Row(owner, 0)
		return put{hbase.Delete{Table: tables.Timelines.Table, Row: row, Timestamp: tables.Forever}}
	},
	&tables.Comments.AnyList:        deleteCommentsOn,
	&tables.UserComments.AnyList:    deleteCommentsBy,
	&tables.Children.AnyList:        nil,
	&tables.DepartmentRoles.AnyList: undefineRolesOf,
	&tables.UserGames.AnyList:       erasePlaysOf,
	&tables.Players.AnyList:         erasePlaysIn,
}

func clearAll(o *tables.AnyObject, key string) (stages []stage) {
	var others stage
	for _, l := range tables.Lists() {
		if clearing := clearings[l]; l.Owner == o && clearing != nil {
			others = append(others, clearing(key))
		}
	}
	for _, s := range []stage{unrelateAll(o, key), others} {
		if len(s) > 0 {
			stages = append(stages, s)
		}
	}
	return stages
}

// clearList deletes all members, also in pending buckets, but keeps the directory: see
// docs/WRITES.md.
func clearList[E any](l *tables.List[E], owner string, o operation) effect {
	return each{"clear", func(ctx context.Context, c client, _ pageApplier) error {
		size := l.PageSize(splitPage)
		options := listscan.RowsOptions{First: size, Next: size, Pending: true}
		rows := listscan.NewRows(&l.AnyList, owner, options)
		for !rows.Done() {
			cells, err := c.one(ctx, "clear, read", rows.Get())
			if err != nil {
				return err
			}
			page, ok, err := rows.Take(cells)
			if err == nil && ok {
				err = clearPage(ctx, c, &l.AnyList, owner, page, o)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}}
}

// clearPage deletes the members of the page from bucket 0, even if the page is of another bucket:
// late writes may add them to bucket 0. After the last page of another bucket, it deletes that
// bucket's row.
func clearPage(
	ctx context.Context, c client, l *tables.AnyList, owner string, page listscan.RowPage, o operation,
) error {
	if len(page.Cells) > 0 {
		members := slices.Clone(page.Cells)
		for i := range members {
			members[i].Timestamp = o.at
		}
		deletion := hbase.DeleteCells(l.Table, l.Row(owner, 0), members...)
		if err := c.mutate(ctx, write{"clear", deletion}); err != nil {
			return err
		}
	}
	if page.Bucket == 0 || !page.Last {
		return nil
	}
	return c.mutate(ctx, write{"clear bucket", hbase.Delete{Table: l.Table, Row: l.Row(owner, page.Bucket),
		Columns: []hbase.Deletion{{Kind: hbase.Family, Family: l.Family, Timestamp: o.at}}}})
}
