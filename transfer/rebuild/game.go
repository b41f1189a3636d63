package rebuild

import (
	"context"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// GameDays rebuilds the sums of these games by day from the plays of all their players.
func (s *Rebuilder) GameDays(ctx context.Context, games []string) error {
	return s.groups(ctx, games, func(ctx context.Context, games []string) error {
		sums := make(map[string]daySums, len(games))
		err := Spans(ctx, s.Store, &tables.Players.AnyList, games, func(span *Span) error {
			if sums[span.Owner] == nil {
				sums[span.Owner] = daySums{}
			}
			return s.addDays(ctx, sums[span.Owner], span)
		})
		if err != nil {
			return err
		}
		return s.writeDays(ctx, games, sums)
	})
}

// addDays adds what some players of a game played to the game's sums by day.
func (s *Rebuilder) addDays(ctx context.Context, sums daySums, span *Span) error {
	players, err := Covered(tables.Players, span)
	if err != nil {
		return err
	}
	gets := make([]hbase.Get, len(players))
	for i, player := range players {
		gets[i] = tables.Plays.Get(player, span.Owner)
	}
	rows, err := Read(ctx, s.Store, gets)
	if err != nil {
		return err
	}
	for _, cells := range rows {
		days, err := tables.Plays.Decode(cells)
		if err != nil {
			return err
		}
		for i, day := range days {
			sum := sums[day.Day]
			sums[day.Day] = daySum{sum.count + day.Count, max(sum.timestamp, cells[i].Timestamp)}
		}
	}
	return nil
}

// daySums are the sums of one game, by day.
type daySums map[string]daySum

// daySum is how much was played on a day. It is as young as the youngest of its parts.
type daySum struct {
	count     int
	timestamp int64
}

func (s daySums) cell(day string) hbase.Cell {
	return tables.GameDays.Cell(tables.DayCount{Day: day, Count: s[day].count}, s[day].timestamp)
}

func (s *Rebuilder) writeDays(ctx context.Context, games []string, sums map[string]daySums) error {
	gets := make([]hbase.Get, len(games))
	for i, game := range games {
		gets[i] = tables.GameDays.Get(game, "", tables.MembersEnd)
	}
	stored, err := Read(ctx, s.Store, gets)
	if err != nil {
		return err
	}
	var mutations []hbase.Mutation
	for i, game := range games {
		put := hbase.Put{Table: gets[i].Table, Row: gets[i].Row}
		gone := hbase.Delete{Table: gets[i].Table, Row: gets[i].Row}
		want := sums[game]
		for j := range stored[i] {
			old := &stored[i][j]
			if _, ok := want[old.Qualifier]; !ok {
				gone.Columns = append(gone.Columns, gonePart(*old))
			} else if sum, differs := replace(old, want.cell(old.Qualifier)); differs {
				put.Cells = append(put.Cells, sum)
			}
		}
		for day := range want {
			if find(stored[i], day) == nil {
				put.Cells = append(put.Cells, want.cell(day))
			}
		}
		if len(put.Cells) > 0 {
			mutations = append(mutations, put)
		}
		if len(gone.Columns) > 0 {
			mutations = append(mutations, gone)
		}
	}
	return Write(ctx, s.Store, mutations)
}
