package check

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/rebuild"
)

// plays checks that the lists of users and games have what was played, with its sum.
func (r *run) plays(ctx context.Context) error {
	table := tables.Plays.Table
	return r.pairs(ctx, pairs{
		scan: hbase.Scan{Table: table}, from: &tables.Users.AnyObject, to: &tables.Games.AnyObject,
		decode: func(row hbase.Row) (p pair, played bool, err error) {
			if p.a, p.b, err = tables.Plays.Ends(row.Key); err != nil {
				return p, false, err
			}
			days, err := tables.Plays.Decode(row.Cells) // none beside a commit record alone
			sum := tables.UserGame{Code: p.b}
			for _, d := range days {
				sum.Count, sum.Day = sum.Count+d.Count, max(sum.Day, d.Day)
			}
			timestamp, why := rebuild.Youngest(row.Cells), p.a+" played "+p.b
			p.entries = [2]entry{
				entryOf(tables.UserGames, p.a, sum, timestamp, table, why),
				entryOf(tables.Players, p.b, p.a, timestamp, table, why),
			}
			return p, len(days) > 0, err
		},
		column: func(row hbase.Row) column { return column{table, row.Key, row.Cells[0].Family, ""} },
		end: func(r *run, p pair, why string) {
			for i := range p.Cells {
				if p.Cells[i].Qualifier != tables.CommitColumn {
					r.differs(rebuild.Change{Table: table, Row: p.Key, Old: &p.Cells[i]}, why)
				}
			}
		},
	})
}

func explainUserGames() explainer {
	return explain(decoded(tables.UserGames),
		func(user string, g tables.UserGame) hbase.Get { return tables.Plays.Any(user, g.Code) },
		func(user string, g tables.UserGame, days []hbase.Cell) string { return neverPlayed(user, g.Code, days) })
}

func explainPlayers() explainer {
	return explain(decoded(tables.Players),
		func(game, user string) hbase.Get { return tables.Plays.Any(user, game) },
		func(game, user string, days []hbase.Cell) string { return neverPlayed(user, game, days) })
}

func neverPlayed(user, game string, cells []hbase.Cell) string {
	if days, err := tables.Plays.Decode(cells); err == nil && len(days) == 0 {
		return fmt.Sprintf("%s never played %s", user, game)
	}
	return ""
}

// days checks that the sums of games by day are those of their players.
func (r *run) days(ctx context.Context) error {
	columns := tables.Players.Family + " " + tables.GameDays.Get("", "", "").Columns
	scan := hbase.Scan{Table: tables.Games.Table, Columns: columns, Page: hbase.Page{Limit: 1}}
	return r.rows(ctx, scan, func(rows []hbase.Row) error {
		for _, row := range rows {
			game, bucket, err := tables.Players.OwnerOf(row.Key)
			if err != nil || bucket != 0 {
				continue // reported with the list
			}
			err = r.daysOf(ctx, game)
			if err != nil && !errors.Is(err, hbase.ErrCorrupt) { // reported with the row of plays
				return err
			}
		}
		return nil
	})
}

// daysOf checks the sums of a game.
func (r *run) daysOf(ctx context.Context, game string) error {
	sums, err := rebuild.SumDays(ctx, r.Store, []string{game})
	if err == nil {
		lacking := r.lacking[listOf{&tables.Players.AnyList, game}]
		err = sums[game].Add(ctx, r.Store, game, slices.Collect(maps.Keys(lacking)))
	}
	if err != nil {
		return err
	}
	get := tables.GameDays.Get(game, "", tables.MembersEnd)
	cells, err := hbase.GetAll(ctx, r.Store, []hbase.Get{get})
	if err != nil {
		return err
	}
	for _, change := range sums[game].Changes(get, cells[0]) {
		r.differs(change, "so much did all players play on that day")
	}
	return nil
}
