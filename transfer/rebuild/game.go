package rebuild

import (
	"context"
	"maps"
	"slices"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// GameDays rebuilds the daily sums of games.
func (s *Rebuilder) GameDays(ctx context.Context, games []string) error {
	return s.groups(ctx, games, func(ctx context.Context, games []string) error {
		changes, err := DayChanges(ctx, s.Store, games, nil)
		if err != nil {
			return err
		}
		return writeChanges(ctx, s.Store, changes)
	})
}

// DayChanges compares the daily sums of games with the plays. lacking has the players that a game's
// list of players lacks. A sum of 0 need not be stored.
func DayChanges(ctx context.Context, store hbase.Store, games []string, lacking map[string][]string) ([]Change, error) {
	sums := map[string]daySums{}
	for _, game := range games {
		sums[game] = daySums{}
		if err := sums[game].add(ctx, store, game, lacking[game]); err != nil {
			return nil, err
		}
	}
	err := BucketPages(ctx, store, &tables.Players.AnyList, games, func(s *BucketPage) error {
		players, _, err := tables.Players.Decode(s.Owner, s.Cells)
		if err != nil {
			return err
		}
		return sums[s.Owner].add(ctx, store, s.Owner, players)
	})
	if err != nil {
		return nil, err
	}
	var changes []Change
	days := func(game string) hbase.Get { return tables.GameDays.Get(game, "", tables.MembersEnd) }
	stored, err := hbase.GetEach(ctx, store, games, days)
	for i, cells := range stored {
		sums, row := sums[games[i]], days(games[i])
		for j := range cells {
			if old := &cells[j]; sums[old.Qualifier].count == 0 && string(old.Value) != "0" {
				changes = append(changes, Change{row.Table, row.Row, old, nil})
			}
		}
		for _, day := range slices.Sorted(maps.Keys(sums)) {
			if sum := sums[day]; sum.count > 0 {
				cell := tables.GameDays.Cell(tables.DayCount{Day: day, Count: sum.count}, sum.timestamp)
				changes = AppendChange(changes, row, hbase.FindCell(cells, cell.Family, day), cell)
			}
		}
	}
	return changes, err
}

type daySums map[string]daySum

type daySum struct {
	count     int
	timestamp int64 // the latest
}

func (s daySums) add(ctx context.Context, store hbase.Store, game string, players []string) error {
	plays := func(player string) hbase.Get { return tables.Plays.Get(player, game) }
	rows, err := hbase.GetEach(ctx, store, players, plays)
	if err != nil {
		return err
	}
	for _, cells := range rows {
		days, err := tables.Plays.Decode(cells)
		if err != nil {
			return err
		}
		for i, day := range days {
			s[day.Day] = daySum{s[day.Day].count + day.Count, max(s[day.Day].timestamp, cells[i].Timestamp)}
		}
	}
	return nil
}
