package check

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/rebuild"
)

// plays shows that both sides of what was played have it, with its sum.
func (r *run) plays(ctx context.Context) error {
	return r.rows(ctx, hbase.Scan{Table: tables.Plays.Table}, func(rows []hbase.Row) error {
		type played struct {
			hbase.Row
			user, game string
			sum        tables.UserGame
		}
		var all []played
		var users, games []string
		for _, row := range rows {
			user, game, err := tables.Plays.Ends(row.Key)
			var days []tables.DayCount
			if err == nil {
				days, err = tables.Plays.Decode(row.Cells)
			}
			if err != nil {
				r.report(violationOf(tables.Plays.Table, row.Key, row.Cells[0].Family, "", "unreadable", "readable", "%v", err))
				continue
			}
			if len(days) == 0 {
				continue // it holds the last decision alone
			}
			all = append(all, played{row, user, game, sumOf(game, days)})
			users, games = append(users, user), append(games, game)
		}
		userExists, err := r.which(ctx, &tables.Users.AnyObject, users)
		if err != nil {
			return err
		}
		gameExists, err := r.which(ctx, &tables.Games.AnyObject, games)
		if err != nil {
			return err
		}
		var entries []entry
		var of []played
		for _, p := range all {
			if userExists[p.user] && gameExists[p.game] {
				timestamp := rebuild.Youngest(p.Cells)
				entries = append(entries, entryOf(tables.UserGames, p.user, p.sum, timestamp), entryOf(tables.Players, p.game, p.user, timestamp))
				of = append(of, p)
				continue
			}
			why := fmt.Sprintf("there is no user %q", p.user)
			if userExists[p.user] {
				why = fmt.Sprintf("there is no game %q", p.game)
			}
			for _, c := range p.Cells {
				if c.Qualifier != tables.CommitColumn {
					r.report(violationOf(tables.Plays.Table, p.Key, c.Family, c.Qualifier, string(c.Value), absent, "%s", why), gone(tables.Plays.Table, p.Key, c))
				}
			}
		}
		if err := r.find(ctx, entries); err != nil {
			return err
		}
		for i, s := range entries {
			p := of[i/2]
			switch {
			case s.found == nil:
				if r.missing(s, false, "%s played %s", p.user, p.game); i%2 == 1 && !r.Repair {
					r.players[p.game] = append(r.players[p.game], p.user)
				}
			case string(s.found.Value) != string(s.cell.Value):
				s.cell.Timestamp = max(s.cell.Timestamp, s.found.Timestamp)
				r.report(violationOf(s.list.Table, s.row, s.list.Family, s.cell.Qualifier, text(s.found.Value), text(s.cell.Value), "plays says so"),
					hbase.Put{Table: s.list.Table, Row: s.row, Cells: []hbase.Cell{s.cell}})
			}
		}
		return nil
	})
}

// sumOf is what a user's list says of a game.
func sumOf(game string, days []tables.DayCount) tables.UserGame {
	sum := tables.UserGame{Code: game}
	for _, d := range days {
		sum.Count, sum.Day = sum.Count+d.Count, max(sum.Day, d.Day)
	}
	return sum
}

func explainUserGames(ctx context.Context, r *run, user string, members []tables.UserGame) ([]string, error) {
	return explainPlayed(ctx, r, len(members), func(i int) (string, string) { return user, members[i].Code })
}

func explainPlayers(ctx context.Context, r *run, game string, members []string) ([]string, error) {
	return explainPlayed(ctx, r, len(members), func(i int) (string, string) { return members[i], game })
}

func explainPlayed(ctx context.Context, r *run, n int, ends func(i int) (user, game string)) ([]string, error) {
	gets, why := make([]hbase.Get, n), make([]string, n)
	for i := range gets {
		gets[i] = tables.Plays.Any(ends(i))
	}
	cells, err := rebuild.Read(ctx, r.Store, gets)
	if err != nil {
		return nil, err
	}
	for i := range why {
		if days, err := tables.Plays.Decode(cells[i]); err == nil && len(days) == 0 {
			user, game := ends(i)
			why[i] = fmt.Sprintf("%s never played %s", user, game)
		}
	}
	return why, nil
}

// days shows that the sums of games by day are those of their players.
func (r *run) days(ctx context.Context) error {
	scan := hbase.Scan{Table: tables.Games.Table, Columns: tables.Players.Family, Page: hbase.Page{Limit: 1}}
	seen := func(rows []hbase.Row, played bool) error {
		for _, row := range rows {
			game, bucket, err := tables.Players.OwnerOf(row.Key)
			if err != nil || bucket != 0 {
				continue // reported with the list
			}
			if err := r.daysOf(ctx, game, played); err != nil {
				return err
			}
		}
		return nil
	}
	if err := r.rows(ctx, scan, func(rows []hbase.Row) error { return seen(rows, true) }); err != nil {
		return err
	}
	scan.Columns = tables.GameDays.Get("", "", "").Columns
	return r.rows(ctx, scan, func(rows []hbase.Row) error { return seen(rows, false) })
}

// daysOf looks at one game. If it is not one that is played, only that it has no players is looked at: the others were.
func (r *run) daysOf(ctx context.Context, game string, played bool) error {
	get := tables.GameDays.Get(game, "", tables.MembersEnd)
	cells, err := rebuild.Read(ctx, r.Store, []hbase.Get{get, tables.Players.Get(game, 0, hbase.Page{Limit: 1})})
	if err != nil || !played && len(cells[1]) > 0 {
		return err
	}
	sums := map[string]int{}
	add := func(players []string) error {
		gets := make([]hbase.Get, len(players))
		for i, player := range players {
			gets[i] = tables.Plays.Get(player, game)
		}
		rows, err := rebuild.Read(ctx, r.Store, gets)
		if err != nil {
			return err
		}
		for _, row := range rows {
			days, err := tables.Plays.Decode(row)
			if err != nil {
				continue // reported with the row
			}
			for _, d := range days {
				sums[d.Day] += d.Count
			}
		}
		return nil
	}
	err = rebuild.Spans(ctx, r.Store, &tables.Players.AnyList, []string{game}, func(s *rebuild.Span) error {
		players, err := rebuild.Covered(tables.Players, s)
		if err != nil {
			return err
		}
		return add(players)
	})
	if err == nil {
		err = add(r.players[game])
	}
	if err != nil {
		return err
	}
	for _, c := range cells[0] {
		sum, played := sums[c.Qualifier]
		delete(sums, c.Qualifier)
		should := strconv.Itoa(sum)
		if string(c.Value) == should {
			continue
		}
		b := violationOf(get.Table, get.Row, c.Family, c.Qualifier, string(c.Value), should, "so much did all players play on that day")
		if played {
			r.report(b, hbase.Put{Table: get.Table, Row: get.Row, Cells: []hbase.Cell{tables.GameDays.Cell(tables.DayCount{Day: c.Qualifier, Count: sum}, c.Timestamp)}})
		} else {
			b.Should = absent
			r.report(b, gone(get.Table, get.Row, c))
		}
	}
	for _, day := range slices.Sorted(maps.Keys(sums)) {
		if sums[day] == 0 {
			continue
		}
		put := hbase.Put{Table: get.Table, Row: get.Row, Cells: []hbase.Cell{tables.GameDays.Cell(tables.DayCount{Day: day, Count: sums[day]}, 1)}}
		r.report(violationOf(get.Table, get.Row, put.Cells[0].Family, day, absent, strconv.Itoa(sums[day]), "so much did all players play on that day"), put)
	}
	return nil
}
