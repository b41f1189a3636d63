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

var (
	games    = []string{"go", "chess"}
	gameDays = []string{"1999-12-25", "1999-12-26"}
)

func init() {
	modelled = append(modelled,
		modelNoun{name: "game", begin: beginGames, call: callGame, observe: observeGames},
		modelNoun{name: "play", call: callPlay, observe: observePlays})
}

func beginGames(_ hbase.Store, f facts) []hbase.Mutation {
	code, by, day := games[0], "b", tables.DayCount{Day: gameDays[0], Count: 5}
	f["game "+code], f[playFact(by, code, day.Day)] = code, "5"
	return []hbase.Mutation{
		tables.Games.Put(code, &tables.Game{Name: &code, PlayerCount: new(1)}, 1),
		hbase.Put{Table: tables.Games.Table, Row: tables.RowKey(code), Cells: []hbase.Cell{tables.GameDays.Cell(day, 1)}},
		memberPut(tables.Players, code, by),
		tables.Plays.Put(by, code, day, 1),
		memberPut(tables.UserGames, by, tables.UserGame{Code: code, Count: day.Count, Day: day.Day}),
		tables.Users.Put(by, &tables.User{GameCount: new(1)}, 1),
	}
}

func playFact(by, game, day string) string { return fmt.Sprintf("play %s %s %s", by, game, day) }

func callGame(r *rand.Rand) call {
	code, name := games[r.IntN(len(games))], strconv.Itoa(r.IntN(2))
	fact := "game " + code
	switch r.IntN(7) {
	case 0:
		return call{"delete " + fact, func(ctx context.Context, w *Writers) error {
			return w.DeleteGame(ctx, code)
		}, func(f facts) Code {
			if f[fact] == "" {
				return NotFound
			}
			removeGame(f, code)
			return ""
		}}
	case 1, 2:
		return call{"create " + fact + " as " + name, func(ctx context.Context, w *Writers) error {
			_, err := w.CreateGame(ctx, "a", NewGame{Code: code, Name: &name, IdempotencyKey: &name})
			return err
		}, func(f facts) Code { return modelCreate(f, fact, name, name) }}
	case 3:
		return callIncrementGame(code)
	case 4:
		return call{"rename " + fact + " to " + name, func(ctx context.Context, w *Writers) error {
			_, err := w.UpdateGame(ctx, GameChange{Code: code, Name: Change[string]{true, &name}})
			return err
		}, func(f facts) Code {
			if f[fact] == "" {
				return NotFound
			}
			f[fact] = name
			return ""
		}}
	}
	return callPlay(r)
}

func modelCreate(f facts, fact, value, key string) Code {
	switch origin := "origin " + fact; {
	case f[origin] == key && f[fact] == "":
		return NotFound
	case f[origin] == key:
		return ""
	case f[fact] == "":
		f[fact], f[origin] = value, key
		return ""
	}
	return AlreadyExists
}

func removeGame(f facts, code string) {
	delete(f, "game "+code)
	removePlays(f, func(_, game string) bool { return game == code })
}

func removePlays(f facts, of func(by, game string) bool) {
	for fact := range f {
		if fields := strings.Fields(fact); fields[0] == "play" && of(fields[1], fields[2]) {
			delete(f, fact)
		}
	}
}

func callPlay(r *rand.Rand) call {
	by, game := userNames[r.IntN(len(userNames))], games[r.IntN(len(games))]
	day, n := gameDays[r.IntN(len(gameDays))], 1+r.IntN(3)
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
	}, func(f facts) Code {
		if f["user "+by] == "" || f["game "+game] == "" {
			return NotFound
		}
		if p.IdempotencyKey != nil {
			under := fmt.Sprintf("under %s %s %s", key, by, game)
			if f[under] != "" {
				return ""
			}
			f[under] = day
		}
		before, _ := strconv.Atoi(f[playFact(by, game, day)])
		f[playFact(by, game, day)] = strconv.Itoa(before + n)
		return ""
	}}
}

func observeGames(ctx context.Context, store hbase.Store, f facts) error {
	for _, code := range games {
		cells, err := cellsOf(ctx, store, tables.Games.Get(code, originColumns))
		if err != nil {
			return err
		}
		observeCreated(f, "game "+code, cells, attribute(cells, "name"))
	}
	return nil
}

func observeCreated(f facts, fact string, cells []hbase.Cell, value string) {
	if name := attribute(cells, "name"); name != "" && name != tables.DeletedValue {
		f[fact] = value
	}
	for _, key := range []string{"0", "1"} {
		if attribute(cells, tables.Origin) == tables.KeyedName("a", key) {
			f["origin "+fact] = key
		}
	}
}

func observePlays(ctx context.Context, store hbase.Store, f facts) error {
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
			f[playFact(by, game, day.Day)] = strconv.Itoa(day.Count)
		}
		for n := range 4 {
			key := strconv.Itoa(n)
			cell := tables.Plays.KeyCell(key, "", 0)
			if day := attribute(row.Cells, cell.Qualifier); day != "" {
				f[fmt.Sprintf("under %s %s %s", key, by, game)] = day
			}
		}
	}
	return nil
}
