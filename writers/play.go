package writers

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
)

type recordPlayArgs struct {
	User, Game, Day string
	Count           int
	Key             *string
	// check sets these fields. Total is the count of the day, Sum that of all days, and Last the
	// last day. First is true for the user's first plays of the game.
	Total, Sum int
	Last       string
	First      bool
}

var recordPlay = register(opType[recordPlayArgs]{
	name: "recordPlay", properties: properties{recordsCompletion: true, nonIdempotent: true},
	row:   func(a recordPlayArgs) hbase.Get { return tables.Plays.GetWithKey(a.User, a.Game, a.Key) },
	reads: func(a recordPlayArgs) []hbase.Get { return playReferences(a.User, a.Game).gets() },
	check: func(a *recordPlayArgs, r *reading) (decision, error) {
		if err := playReferences(a.User, a.Game).check(r.cells); err != nil {
			return unchanged, err
		}
		days, daysErr := playedOn(r.row)
		before, keyErr := tables.Plays.DecodeKey(r.row)
		if err := cmp.Or(daysErr, keyErr); err != nil {
			return unchanged, err
		}
		if before != "" {
			a.Day = before
		}
		i, found := slices.BinarySearchFunc(days, a.Day, func(d tables.DayCount, day string) int {
			return strings.Compare(d.Day, day)
		})
		if !found && before != "" {
			return unchanged, reject(NotFound, "idempotencyKey", "the plays of this key were erased with their game")
		}
		if !found {
			days = slices.Insert(days, i, tables.DayCount{Day: a.Day})
		}
		if a.Total = days[i].Count; before != "" {
			return unchanged, nil
		}
		a.Total += a.Count
		days[i].Count, a.Sum = a.Total, 0
		for _, day := range days {
			a.Sum += day.Count
		}
		if a.Sum > math.MaxInt32 {
			return unchanged, reject(LimitExceeded, "count", "a user can play a game %d times at most", math.MaxInt32)
		}
		a.First, a.Last = len(days) == 1 && !found, days[len(days)-1].Day
		cells := tables.Plays.Put(a.User, a.Game, days[i], r.at).Cells
		if a.Key != nil {
			cells = append(cells, tables.Plays.KeyCell(*a.Key, a.Day, r.at))
		}
		return commit(cells...), nil
	},
	effects: func(a recordPlayArgs, o operation) effects {
		plays := stage{
			add(tables.UserGames, a.User, tables.UserGame{Code: a.Game, Count: a.Sum, Day: a.Last}, o.at),
			dayOf(a.Game, a.Day, a.Count),
		}
		if a.First {
			plays = append(plays, countOf(tables.UserGames, a.User, 1))
			plays = append(plays, join(tables.Players, a.Game, a.User, o.at)...)
		}
		return effects{now: []stage{
			plays,
			{compensation{playReferences(a.User, a.Game), erasure(a.User, a.Game)}},
		}}
	},
})

func playReferences(username, game string) references {
	return references{ref(tables.Users, username, ""), ref(tables.Games, game, "game")}
}

// playedOn omits days that are being erased: their count is 0.
func playedOn(cells []hbase.Cell) ([]tables.DayCount, error) {
	days, err := tables.Plays.Decode(cells)
	return slices.DeleteFunc(days, func(d tables.DayCount) bool { return d.Count == 0 }), err
}

func dayOf(game, day string, delta int) effect {
	return count{column{location{tables.GameDays.Table, tables.RowKey(game)}, tables.GameDays.Column(day)}, delta}
}

type erasePlaysArgs struct {
	User, Game string
	Days       []tables.DayCount // set by check
}

var _ = register(opType[erasePlaysArgs]{
	name: "erasePlays",
	row:  func(a erasePlaysArgs) hbase.Get { return tables.Plays.Get(a.User, a.Game) },
	check: func(a *erasePlaysArgs, r *reading) (_ decision, err error) {
		// The user and the game must be read after the plays: see relate.go.
		if missing, err := playReferences(a.User, a.Game).missing(r); err != nil || !missing {
			return unchanged, err
		}
		if a.Days, err = playedOn(r.row); err != nil || len(a.Days) == 0 {
			return unchanged, err
		}
		var cells []hbase.Cell
		for _, day := range a.Days {
			cells = append(cells, tables.Plays.Put(a.User, a.Game, tables.DayCount{Day: day.Day}, r.at).Cells...)
		}
		return commit(cells...), nil
	},
	effects: func(a erasePlaysArgs, o operation) effects {
		erased := slices.Concat(
			stage{put{tables.Plays.Delete(a.User, a.Game, a.Days, o.at)}},
			leave(tables.UserGames, a.User, tables.UserGame{Code: a.Game}, o.at),
			leave(tables.Players, a.Game, a.User, o.at),
		)
		for _, day := range a.Days {
			erased = append(erased, dayOf(a.Game, day.Day, -day.Count))
		}
		return effects{now: []stage{erased}}
	},
})

func erasePlaysOf(username string) effect {
	return eachMember(tables.UserGames, username, func(g tables.UserGame) effect { return erasure(username, g.Code) })
}

func erasePlaysIn(game string) effect {
	return eachMember(tables.Players, game, func(username string) effect { return erasure(username, game) })
}

func erasure(username, game string) nested {
	return nested{"erasePlays", &erasePlaysArgs{User: username, Game: game}}
}

// NewPlay is the input of recordPlay.
type NewPlay struct {
	Game           string
	Day            *string // default: today in UTC
	Count          int
	IdempotencyKey *string
}

// Played is a user's count for a game and a day.
type Played struct {
	Game, Day string
	Count     int
}

// RecordPlay adds to the plays of a day. A repetition with the same idempotency key and game
// returns the day of the first call.
func (w *Writers) RecordPlay(ctx context.Context, username string, p NewPlay) (Played, error) {
	var in input
	a := recordPlayArgs{User: username, Game: in.code("game", p.Game), Day: w.now().UTC().Format(time.DateOnly),
		Count: p.Count}
	in.within("count", "a count", p.Count, 1, MaxPlays)
	a.Key = in.idempotencyKey(p.IdempotencyKey)
	if p.Day != nil {
		a.Day = in.day("day", *p.Day, w.now())
	}
	err := execute(ctx, w, &in, recordPlay, &a)
	return Played{a.Game, a.Day, a.Total}, err
}
