package main

import (
	"context"
	"iter"
	"slices"

	"twibase/hbase"
	"twibase/hbase/tables"
)

func (p *playData) twibaseRows() iter.Seq[hbase.Put] {
	return func(yield func(hbase.Put) bool) {
		for _, user := range p.population {
			list := hbase.Put{Table: tables.UserGames.Table, Row: tables.RowKey(user.name())}
			for game, row := range user.byGame(tables.Plays.Table, "d") {
				row.Row = tables.Plays.Get(user.name(), game).Row
				sums := map[string]int{}
				if addDays(sums, row.Cells) != nil || !yield(row) {
					return
				}
				list.Cells = append(list.Cells, userGame(game, sums))
			}
			if !yield(list) {
				return
			}
		}
		for game, users := range p.players {
			for page := range slices.Chunk(users, 1000) {
				row := hbase.Put{Table: tables.Players.Table, Row: tables.RowKey(game)}
				for _, user := range page {
					row.Cells = append(row.Cells, hbase.Cell{Family: tables.Players.Family, Qualifier: user, Timestamp: timestamp})
				}
				if !yield(row) {
					return
				}
			}
			row := put(tables.GameDays.Table, tables.RowKey(game), "d")
			for day, count := range p.days[game] {
				row.Cells = append(row.Cells, tables.GameDays.Cell(tables.DayCount{Day: day, Count: count}, timestamp))
			}
			if !yield(row) {
				return
			}
		}
	}
}

func userGame(game string, days map[string]int) hbase.Cell {
	g := tables.UserGame{Code: game}
	for day, count := range days {
		g.Count, g.Day = g.Count+count, max(g.Day, day)
	}
	return tables.UserGames.Cell(g, timestamp)
}

func (p *playData) twibaseHasPlayed(ctx context.Context, store hbase.Store, days, instance int) ([]string, error) {
	a := p.user(days, instance)
	results, err := get(ctx, store, tables.Plays.Any(a.user, a.game))
	return yesOrNothing(err == nil && len(results[0].Cells) > 0), err
}

func (p *playData) twibaseGamesOf(ctx context.Context, store hbase.Store, days, instance int) ([]string, error) {
	results, err := get(ctx, store, tables.UserGames.Get(p.user(days, instance).user, 0, hbase.Page{}))
	if err != nil {
		return nil, err
	}
	return qualifiers(results[0].Cells), nil
}

func (p *playData) twibasePlayersOf(ctx context.Context, store hbase.Store, _, instance int) ([]string, error) {
	results, err := get(ctx, store, tables.Players.Get(queriedGames[instance], 0, hbase.Page{Limit: pageSize}))
	if err != nil {
		return nil, err
	}
	return qualifiers(results[0].Cells), nil
}

func (p *playData) twibaseMonthOf(ctx context.Context, store hbase.Store, _, instance int) ([]string, error) {
	results, err := get(ctx, store, tables.GameDays.Get(queriedGames[instance], monthStart, monthEnd))
	if err != nil {
		return nil, err
	}
	counts := map[string]int{}
	err = addDays(counts, results[0].Cells)
	return dayLines(counts), err
}
