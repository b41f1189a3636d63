package writers

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// Of the games, the first is there at the beginning, and b plays it; the other is made and deleted again and again.
var (
	games    = []string{"go", "chess"}
	gameDays = []string{"1999-12-25", "1999-12-26"} // before the clock of a bubble begins
)

func init() {
	modelled = append(modelled,
		modelNoun{name: "game", begin: beginGames, call: callGame, observe: observeGames},
		modelNoun{name: "play", call: callPlay, observe: observePlays})
}

func beginGames(_ hbase.Store, w world) []hbase.Mutation {
	code, by, day := games[0], "b", tables.DayCount{Day: gameDays[0], Count: 5}
	w["game "+code], w[playFact(by, code, day.Day)] = code, "5"
	return []hbase.Mutation{
		tables.Games.Put(code, &tables.Game{Name: &code, PlayerCount: pointer(1)}, 1),
		hbase.Put{Table: tables.Games.Table, Row: tables.RowKey(code), Cells: []hbase.Cell{tables.GameDays.Cell(day, 1)}},
		lists(tables.Players, code, by),
		tables.Plays.Put(by, code, day, 1),
		lists(tables.UserGames, by, tables.UserGame{Code: code, Count: day.Count, Day: day.Day}),
		tables.Users.Put(by, &tables.User{GameCount: pointer(1)}, 1),
	}
}

func playFact(by, game, day string) string { return fmt.Sprintf("play %s %s %s", by, game, day) }

func callGame(r *rand.Rand) call {
	code, name := games[r.IntN(len(games))], strconv.Itoa(r.IntN(2))
	fact := "game " + code
	switch r.IntN(7) {
	case 0:
		return call{"delete " + fact, func(ctx context.Context, w *Writers) error { return w.DeleteGame(ctx, code) }, func(w world) Code {
			if w[fact] == "" {
				return NotFound
			}
			vanishGame(w, code)
			return ""
		}}
	case 1, 2:
		return call{"create " + fact + " as " + name, func(ctx context.Context, w *Writers) error {
			_, err := w.CreateGame(ctx, "a", NewGame{Code: code, Name: &name, IdempotencyKey: &name})
			return err
		}, func(w world) Code { return modelCreate(w, fact, name, name) }}
	case 3:
		return callNextGame(code)
	case 4:
		return call{"rename " + fact + " to " + name, func(ctx context.Context, w *Writers) error {
			_, err := w.UpdateGame(ctx, GameChange{Code: code, Name: Change[string]{true, &name}})
			return err
		}, func(w world) Code {
			if w[fact] == "" {
				return NotFound
			}
			w[fact] = name
			return ""
		}}
	}
	return callPlay(r)
}

// modelCreate is what becomes of a world in which something is made under an idempotency key.
func modelCreate(w world, fact, value, key string) Code {
	switch origin := "origin " + fact; {
	case w[origin] == key && w[fact] == "":
		return NotFound
	case w[origin] == key:
		return ""
	case w[fact] == "":
		w[fact], w[origin] = value, key
		return ""
	}
	return AlreadyExists
}

// vanishGame is what becomes of a world without a game.
func vanishGame(w world, code string) {
	delete(w, "game "+code)
	vanishPlays(w, func(_, game string) bool { return game == code })
}

func vanishPlays(w world, of func(by, game string) bool) {
	for fact := range w {
		if fields := strings.Fields(fact); fields[0] == "play" && of(fields[1], fields[2]) {
			delete(w, fact)
		}
	}
}

func callPlay(r *rand.Rand) call {
	by, game, day, n := people[r.IntN(len(people))], games[r.IntN(len(games))], gameDays[r.IntN(len(gameDays))], 1+r.IntN(3)
	// With a key, so that an unknown outcome is one that is found out by the same call.
	key := strconv.Itoa(r.IntN(4))
	p := NewPlay{Game: game, Day: &day, Count: n, IdempotencyKey: &key}
	if r.IntN(2) == 0 {
		p.IdempotencyKey = nil
	}
	text := fmt.Sprintf("%s %d", playFact(by, game, day), n)
	if p.IdempotencyKey != nil {
		text += " under " + key
	}
	return call{text, func(ctx context.Context, w *Writers) error {
		_, err := w.RecordPlay(ctx, by, p)
		return err
	}, func(w world) Code {
		if w["user "+by] == "" || w["game "+game] == "" {
			return NotFound
		}
		if p.IdempotencyKey != nil {
			under := fmt.Sprintf("under %s %s %s", key, by, game)
			if w[under] != "" {
				return ""
			}
			w[under] = day
		}
		before, _ := strconv.Atoi(w[playFact(by, game, day)])
		w[playFact(by, game, day)] = strconv.Itoa(before + n)
		return ""
	}}
}

func observeGames(ctx context.Context, store hbase.Store, w world) error {
	for _, code := range games {
		cells, err := cellsOf(ctx, store, tables.Games.Get(code, originColumns))
		if err != nil {
			return err
		}
		observeMade(w, "game "+code, cells, attribute(cells, "name"))
	}
	return nil
}

// observeMade notes that something was made under a key, which is 0 or 1, and whether it is still there.
func observeMade(w world, fact string, cells []hbase.Cell, value string) {
	if name := attribute(cells, "name"); name != "" && name != tables.Gone {
		w[fact] = value
	}
	for _, key := range []string{"0", "1"} {
		if attribute(cells, tables.Origin) == tables.KeyedName("a", key) {
			w["origin "+fact] = key
		}
	}
}

func observePlays(ctx context.Context, store hbase.Store, w world) error {
	for row, err := range store.Scan(ctx, hbase.Scan{Table: tables.Plays.Table}) {
		if err != nil {
			return err
		}
		by, game, err := tables.Plays.Ends(row.Key)
		if err != nil {
			return err
		}
		days, err := tables.Plays.Decode(row.Cells)
		if err != nil {
			return err
		}
		for _, day := range days {
			w[playFact(by, game, day.Day)] = strconv.Itoa(day.Count)
		}
		for n := range 4 {
			key := strconv.Itoa(n)
			cell := tables.Plays.KeyCell(key, "", 0)
			if day := attribute(row.Cells, cell.Qualifier); day != "" {
				w[fmt.Sprintf("under %s %s %s", key, by, game)] = day
			}
		}
	}
	return nil
}
