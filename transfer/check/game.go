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

func (r *run) plays(ctx context.Context) error {
	return r.pairs(ctx, hbase.Scan{Table: tables.Plays.Table}, &tables.Users.AnyObject, &tables.Games.AnyObject, r.played)
}

func (r *run) played(row hbase.Row) *pair {
	table := tables.Plays.Table
	user, game, err := tables.Plays.Ends(row.Key)
	var days []tables.DayCount
	if err == nil {
		days, err = tables.Plays.Decode(row.Cells)
	}
	if err != nil {
		r.unreadable(column{table, row.Key, row.Cells[0].Family, ""}, err)
	}
	if len(days) == 0 { // maybe a commit record
		return nil
	}
	timestamp, why := hbase.LatestTimestamp(row.Cells), user+" played "+game
	return &pair{user, game, [2]entry{
		entryOf(tables.UserGames, user, tables.UserGameOf(game, days), timestamp, table, why),
		entryOf(tables.Players, game, user, timestamp, table, why),
	}, func(why string) {
		for i := range row.Cells {
			if row.Cells[i].Qualifier != tables.CommitColumn {
				r.differs(rebuild.Change{Table: table, Row: row.Key, Old: &row.Cells[i]}, why)
			}
		}
	}}
}

func sourceOfPlayer(user, game string) source {
	return source{row: tables.Plays.Any(user, game), why: func(cells []hbase.Cell) string {
		if days, err := tables.Plays.Decode(cells); err == nil && len(days) == 0 {
			return fmt.Sprintf("%s never played %s", user, game)
		}
		return ""
	}}
}

func (r *run) days(ctx context.Context) error {
	columns := tables.Players.Family + " " + tables.GameDays.Get("", "", "").Columns
	scan := hbase.Scan{Table: tables.Games.Table, Columns: columns, Page: hbase.Page{Limit: 1}}
	return r.rows(ctx, scan, func(rows []hbase.Row) error {
		for _, row := range rows {
			game, bucket, err := tables.Players.OwnerOf(row.Key)
			if err != nil || bucket != 0 {
				continue // reported with the list
			}
			lacking := slices.Collect(maps.Keys(r.lacking[listOf{&tables.Players.AnyList, game}]))
			changes, err := rebuild.DayChanges(ctx, r.Store, []string{game}, map[string][]string{game: lacking})
			if err != nil && !errors.Is(err, hbase.ErrCorrupt) { // reported with the row of plays
				return err
			}
			for _, change := range changes {
				r.differs(change, "the sum of all players on that day")
			}
		}
		return nil
	})
}
