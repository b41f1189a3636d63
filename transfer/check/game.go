package check

import (
	"context"
	"errors"
	"fmt"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/rebuild"
)

// played is a row of what a user played of a game.
type played struct {
	hbase.Row
	user, game string
	days       []tables.DayCount
}

// plays checks that the lists of users and games have what was played, with its sum.
func (r *run) plays(ctx context.Context) error {
	return r.rows(ctx, hbase.Scan{Table: tables.Plays.Table}, func(rows []hbase.Row) error {
		all, err := r.playedByExisting(ctx, r.played(rows))
		if err != nil {
			return err
		}
		var entries []entry
		for _, p := range all {
			timestamp, why := rebuild.Youngest(p.Cells), p.user+" played "+p.game
			sum := tables.UserGame{Code: p.game}
			for _, d := range p.days {
				sum.Count, sum.Day = sum.Count+d.Count, max(sum.Day, d.Day)
			}
			entries = append(entries,
				entry{list: &tables.UserGames.AnyList, owner: p.user, cell: tables.UserGames.Cell(sum, timestamp), source: p.table(), why: why},
				entry{list: &tables.Players.AnyList, owner: p.game, cell: tables.Players.Cell(p.user, timestamp), source: p.table(), why: why})
		}
		if err := r.expect(ctx, entries); err != nil {
			return err
		}
		for i, e := range entries {
			if p := all[i/2]; e.list == &tables.Players.AnyList && e.found == nil && !r.Repair {
				r.players[p.game] = append(r.players[p.game], p.user)
			}
		}
		return nil
	})
}

func (played) table() string { return tables.Plays.Table }

// played decodes rows, and reports those that can't be read.
func (r *run) played(rows []hbase.Row) (all []played) {
	for _, row := range rows {
		user, game, err := tables.Plays.Ends(row.Key)
		var days []tables.DayCount
		if err == nil {
			days, err = tables.Plays.Decode(row.Cells)
		}
		if err != nil {
			r.unreadable(column{tables.Plays.Table, row.Key, row.Cells[0].Family, ""}, err)
		} else if len(days) > 0 { // otherwise it holds the commit record alone
			all = append(all, played{row, user, game, days})
		}
	}
	return all
}

// playedByExisting returns what existing users played of existing games, and reports the rest.
func (r *run) playedByExisting(ctx context.Context, all []played) (kept []played, err error) {
	users, games := make([]string, len(all)), make([]string, len(all))
	for i, p := range all {
		users[i], games[i] = p.user, p.game
	}
	isUser, err := r.existing(ctx, &tables.Users.AnyObject, users)
	if err != nil {
		return nil, err
	}
	isGame, err := r.existing(ctx, &tables.Games.AnyObject, games)
	if err != nil {
		return nil, err
	}
	for _, p := range all {
		if isUser[p.user] && isGame[p.game] {
			kept = append(kept, p)
			continue
		}
		why := noObject(&tables.Users.AnyObject, p.user)
		if isUser[p.user] {
			why = noObject(&tables.Games.AnyObject, p.game)
		}
		for i := range p.Cells {
			if p.Cells[i].Qualifier != tables.CommitColumn {
				r.differs(rebuild.Change{Table: p.table(), Row: p.Key, Old: &p.Cells[i]}, why)
			}
		}
	}
	return kept, nil
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
	scan := hbase.Scan{Table: tables.Games.Table, Columns: tables.Players.Family + " " + tables.GameDays.Get("", "", "").Columns,
		Page: hbase.Page{Limit: 1}}
	return r.rows(ctx, scan, func(rows []hbase.Row) error {
		for _, row := range rows {
			game, bucket, err := tables.Players.OwnerOf(row.Key)
			if err != nil || bucket != 0 {
				continue // reported with the list
			}
			if err := r.daysOf(ctx, game); err != nil && !errors.Is(err, hbase.ErrCorrupt) { // reported with the row of plays
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
		err = sums[game].Add(ctx, r.Store, game, r.players[game])
	}
	if err != nil {
		return err
	}
	get := tables.GameDays.Get(game, "", tables.MembersEnd)
	cells, err := rebuild.Read(ctx, r.Store, []hbase.Get{get})
	if err != nil {
		return err
	}
	for _, change := range sums[game].Changes(get, cells[0]) {
		r.differs(change, "so much did all players play on that day")
	}
	return nil
}
