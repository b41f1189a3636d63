package rebuild

import (
	"context"
	"maps"
	"slices"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// GameDays rebuilds the sums of these games by day from the plays of all their players.
func (s *Rebuilder) GameDays(ctx context.Context, games []string) error {
	return s.groups(ctx, games, func(ctx context.Context, games []string) error {
		sums, err := SumDays(ctx, s.Store, games)
		if err != nil {
			return err
		}
		var changes []Change
		gets := make([]hbase.Get, len(games))
		for i, game := range games {
			gets[i] = tables.GameDays.Get(game, "", tables.MembersEnd)
		}
		stored, err := hbase.GetAll(ctx, s.Store, gets)
		for i, cells := range stored {
			changes = append(changes, sums[games[i]].Changes(gets[i], cells)...)
		}
		if err != nil {
			return err
		}
		return writeChanges(ctx, s.Store, changes)
	})
}

// DaySums are how much was played of a game, by day. A sum is as young as the youngest of its parts.
type DaySums map[string]DaySum

// DaySum is the sum of a day.
type DaySum struct {
	Count     int
	Timestamp int64
}

// SumDays adds up what all players of these games played.
func SumDays(ctx context.Context, store hbase.Store, games []string) (map[string]DaySums, error) {
	sums := make(map[string]DaySums, len(games))
	for _, game := range games {
		sums[game] = DaySums{}
	}
	return sums, Spans(ctx, store, &tables.Players.AnyList, games, func(span *Span) error {
		players, err := Covered(tables.Players, span)
		if err != nil {
			return err
		}
		return sums[span.Owner].Add(ctx, store, span.Owner, players)
	})
}

// Add adds what these players played of the game.
func (s DaySums) Add(ctx context.Context, store hbase.Store, game string, players []string) error {
	gets := make([]hbase.Get, len(players))
	for i, player := range players {
		gets[i] = tables.Plays.Get(player, game)
	}
	rows, err := hbase.GetAll(ctx, store, gets)
	if err != nil {
		return err
	}
	for _, cells := range rows {
		days, err := tables.Plays.Decode(cells)
		if err != nil {
			return err
		}
		for i, day := range days {
			sum := s[day.Day]
			s[day.Day] = DaySum{sum.Count + day.Count, max(sum.Timestamp, cells[i].Timestamp)}
		}
	}
	return nil
}

// Changes returns what differs from the sums in the game's row. A day on which nobody played may be stored as 0.
func (s DaySums) Changes(row hbase.Get, stored []hbase.Cell) (changes []Change) {
	for i := range stored {
		if old := &stored[i]; s[old.Qualifier].Count == 0 && string(old.Value) != "0" {
			changes = append(changes, Change{row.Table, row.Row, old, nil})
		}
	}
	for _, day := range slices.Sorted(maps.Keys(s)) {
		if sum := s[day]; sum.Count > 0 {
			cell := tables.GameDays.Cell(tables.DayCount{Day: day, Count: sum.Count}, sum.Timestamp)
			changes = Differs(changes, row, find(stored, day), cell)
		}
	}
	return changes
}
