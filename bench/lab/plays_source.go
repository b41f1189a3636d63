package main

import (
	"context"
	"iter"
	"maps"
	"slices"
	"strconv"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// Table prodFocus has a column per game. Its key is hash ‖ user ‖ 0 ‖ day.

func wideKey(user, day string) string { return tables.RowKey(user) + "\x00" + day }

func wideKeyOf(row string) (user, day string) {
	end := len(row) - len(time.DateOnly)
	return row[2 : end-1], row[end:]
}

func (p *playData) wideRows() iter.Seq[hbase.Put] {
	return func(yield func(hbase.Put) bool) {
		for _, user := range p.population {
			var row hbase.Put
			for play := range user.plays() {
				if key := wideKey(user.name(), play.day); key != row.Row {
					if row.Row != "" && !yield(row) {
						return
					}
					row = put(wideTable, key, "f")
				}
				row.Cells = append(row.Cells, put("", "", "f", [2]string{play.game, strconv.Itoa(play.count)}).Cells...)
			}
			if !yield(row) {
				return
			}
		}
	}
}

func wideScan(prefix, columns string) hbase.Scan {
	s := withPrefix(wideTable, prefix)
	s.Columns, s.PageSize = columns, 1000
	return s
}

func (p *playData) wideHasPlayed(ctx context.Context, store hbase.Store, days, instance int) ([]string, error) {
	a := p.user(days, instance)
	rows, err := scan(ctx, store, limited(wideScan(wideKey(a.user, ""), "f:"+a.game), 1))
	return yesOrNothing(len(rows) > 0), err
}

func (p *playData) wideGamesOf(ctx context.Context, store hbase.Store, days, instance int) ([]string, error) {
	rows, err := scan(ctx, store, wideScan(wideKey(p.user(days, instance).user, ""), "f"))
	games := map[string]bool{}
	for _, row := range rows {
		for _, c := range row.Cells {
			games[c.Qualifier] = true
		}
	}
	return slices.Sorted(maps.Keys(games)), err
}

func (p *playData) widePlayersOf(ctx context.Context, store hbase.Store, _, instance int) ([]string, error) {
	rows, err := scan(ctx, store, wideScan("", "f:"+queriedGames[instance]))
	users := map[string]bool{}
	for _, row := range rows {
		user, _ := wideKeyOf(row.Key)
		users[user] = true
	}
	return firstNames(slices.Sorted(maps.Keys(users))), err
}

func (p *playData) wideMonthOf(ctx context.Context, store hbase.Store, _, instance int) ([]string, error) {
	rows, err := scan(ctx, store, wideScan("", "f:"+queriedGames[instance]))
	counts := map[string]int{}
	for _, row := range rows {
		if _, day := wideKeyOf(row.Key); day >= monthStart && day <= monthEnd && err == nil {
			n, e := strconv.Atoi(string(row.Cells[0].Value))
			counts[day], err = counts[day]+n, e
		}
	}
	return dayLines(counts), err
}

// Table prodFocusV2 has the key hash ‖ game ‖ 0 ‖ user. For queries by day, it has a column per day
// here.

func tallKey(game, user string) string { return tables.RowKey(game) + "\x00" + user }

func (p *playData) tallRows() iter.Seq[hbase.Put] {
	return func(yield func(hbase.Put) bool) {
		for _, user := range p.population {
			for game, row := range user.byGame(tallTable, "f") {
				if row.Row = tallKey(game, user.name()); !yield(row) {
					return
				}
			}
		}
	}
}

func (p player) byGame(table, family string) iter.Seq2[string, hbase.Put] {
	rows := map[string]hbase.Put{}
	for play := range p.plays() {
		row := put(table, "", family, [2]string{play.day, strconv.Itoa(play.count)})
		row.Cells = append(rows[play.game].Cells, row.Cells...)
		rows[play.game] = row
	}
	return maps.All(rows)
}

func (p *playData) tallHasPlayed(ctx context.Context, store hbase.Store, days, instance int) ([]string, error) {
	a := p.user(days, instance)
	results, err := get(ctx, store,
		hbase.Get{Table: tallTable, Row: tallKey(a.game, a.user), Columns: "f", Page: hbase.Page{Limit: 1}})
	return yesOrNothing(err == nil && len(results[0].Cells) > 0), err
}

// tallGamesOf has a Get per game. A scan would read the whole table.
func (p *playData) tallGamesOf(ctx context.Context, store hbase.Store, days, instance int) (games []string, err error) {
	gets := make([]hbase.Get, gameCount)
	for i := range gets {
		gets[i] = hbase.Get{Table: tallTable, Row: tallKey(gameName(i), p.user(days, instance).user), Columns: "f",
			Page: hbase.Page{Limit: 1}}
	}
	results, err := get(ctx, store, gets...)
	for i, r := range results {
		if len(r.Cells) > 0 {
			games = append(games, gameName(i))
		}
	}
	return games, err
}

func (p *playData) tallPlayersOf(ctx context.Context, store hbase.Store, _, instance int) (users []string, err error) {
	all := withPrefix(tallTable, tallKey(queriedGames[instance], ""))
	all.Columns, all.Page = "f", hbase.Page{Limit: 1}
	rows, err := scan(ctx, store, limited(all, pageSize))
	for _, row := range rows {
		users = append(users, row.Key[len(all.Start):])
	}
	return users, err
}

func (p *playData) tallMonthOf(ctx context.Context, store hbase.Store, _, instance int) ([]string, error) {
	all := withPrefix(tallTable, tallKey(queriedGames[instance], ""))
	all.Columns, all.PageSize = "f", 1000
	all.Page = hbase.Page{Start: monthStart, Stop: hbase.Next(monthEnd)}
	rows, err := scan(ctx, store, all)
	counts := map[string]int{}
	for _, row := range rows {
		if err == nil {
			err = addDays(counts, row.Cells)
		}
	}
	return dayLines(counts), err
}
