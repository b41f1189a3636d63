package writers

import (
	"context"

	"twibase/hbase"
	"twibase/hbase/tables"
)

type createGameArgs struct {
	Code, Name, Origin string
	IdempotencyKey     *string
}

// createGame makes the game's row say that there is one.
var createGame = register(kind[createGameArgs]{
	name: "createGame",
	row:  func(a createGameArgs) hbase.Get { return tables.Games.Get(a.Code, originColumns) },
	decide: func(a *createGameArgs, r *reading) ([]hbase.Cell, error) {
		if err := free(r.row, a.Code, a.Origin, a.IdempotencyKey); err != nil {
			return nil, err
		}
		return append(tables.Games.Put(a.Code, &tables.Game{Name: &a.Name, Version: &r.id}, r.at).Cells, originCell(a.Origin, r.at)), nil
	},
	plan: func(createGameArgs, op) plan { return plan{} },
})

// GameChange is what an update does to a game.
type GameChange struct {
	Code string
	Name Change[string]
	// ExpectedVersion is the one that the caller saw, nil for any.
	ExpectedVersion *string
}

// updateGame changes attributes in the game's row.
var updateGame = register(kind[GameChange]{
	name: "updateGame", added: true, // a second one could undo what came between
	row: func(a GameChange) hbase.Get {
		return tables.Games.Get(a.Code, tables.Games.Columns([]string{"name", "version"}))
	},
	decide: func(a *GameChange, r *reading) ([]hbase.Cell, error) {
		game, err := tables.Games.Decode(a.Code, r.row)
		if err == nil && game == nil {
			err = refuse(NotFound, "code", "there is no %q", a.Code)
		}
		if err != nil {
			return nil, err
		}
		if err := unchanged(a.ExpectedVersion, *game.Version); err != nil {
			return nil, err
		}
		var changes alter
		var new tables.Game
		to(&changes, "name", game.Name, a.Name, &new.Name)
		return changes.cells(tables.Games.Put(a.Code, &new, r.at), r.op)
	},
	plan: func(GameChange, op) plan { return plan{} },
})

type deleteGameArgs struct{ Code string }

// deleteGame makes the row say that the game is gone, and then takes away what was played of it: with that go the players, and the counts.
var deleteGame = register(kind[deleteGameArgs]{
	name: "deleteGame", added: true, // a second one could delete the next game of that code
	row: func(a deleteGameArgs) hbase.Get { return tables.Games.Get(a.Code, tables.Existence) },
	decide: func(a *deleteGameArgs, r *reading) ([]hbase.Cell, error) {
		if err := ref(tables.Games, a.Code, "code").check(r.row); err != nil {
			return nil, err
		}
		return []hbase.Cell{goneCell(r.at)}, nil
	},
	plan: func(a deleteGameArgs, _ op) plan {
		return plan{later: []stage{{eachMember(tables.Players, a.Code, func(username string) step {
			return demand{"erasePlays", &erasePlaysArgs{User: username, Game: a.Code}}
		})}}}
	},
})

// NewGame is what is said of a game that is to be made.
type NewGame struct {
	Code string
	// Name is the code if it is nil.
	Name           *string
	IdempotencyKey *string
}

// CreateGame makes a game, and returns its code as it is stored. A second time under the same key, by the same caller, it does nothing. It may
// be refused with Problems.
func (w *Writers) CreateGame(ctx context.Context, caller string, g NewGame) (string, error) {
	var in input
	a := createGameArgs{Code: in.code("code", g.Code), IdempotencyKey: in.idempotencyKey("idempotencyKey", g.IdempotencyKey)}
	a.Origin = w.origin(caller, a.IdempotencyKey)
	if a.Name = a.Code; g.Name != nil {
		a.Name = in.name("name", *g.Name)
	}
	if err := in.err(); err != nil {
		return "", err
	}
	_, err := do(ctx, w, createGame, &a)
	return a.Code, err
}

// UpdateGame changes a game, and returns its code as it is stored. It may be refused with Problems.
func (w *Writers) UpdateGame(ctx context.Context, c GameChange) (string, error) {
	var in input
	c.Code, c.Name = in.code("code", c.Code), in.changedName("name", c.Name)
	if err := in.err(); err != nil {
		return "", err
	}
	_, err := do(ctx, w, updateGame, &c)
	return c.Code, err
}

// DeleteGame deletes a game, with all that was played of it. It may be refused with Problems.
func (w *Writers) DeleteGame(ctx context.Context, code string) error {
	var in input
	a := deleteGameArgs{in.code("code", code)}
	if err := in.err(); err != nil {
		return err
	}
	_, err := do(ctx, w, deleteGame, &a)
	return err
}
