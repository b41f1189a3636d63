package writers

import (
	"context"

	"twibase/hbase"
	"twibase/hbase/tables"
)

type createGameArgs struct{ Code, Name, Origin string }

// createGame makes the game's row say that there is one.
var createGame = register(kind[createGameArgs]{
	name: "createGame",
	row:  func(a createGameArgs) hbase.Get { return tables.Games.Get(a.Code, originColumns) },
	decide: func(a *createGameArgs, r *reading) ([]hbase.Cell, error) {
		if err := free(r.row, a.Code, a.Origin); err != nil {
			return nil, err
		}
		return append(tables.Games.Put(a.Code, &tables.Game{Name: &a.Name}, r.at).Cells, originCell(a.Origin, r.at)), nil
	},
	plan: func(createGameArgs, op) plan { return plan{} },
})

type updateGameArgs struct {
	Code            string
	Name            *string
	ExpectedVersion *string
}

// updateGame changes attributes in the game's row.
var updateGame = register(kind[updateGameArgs]{
	name: "updateGame",
	row:  func(a updateGameArgs) hbase.Get { return tables.Games.Get(a.Code, tables.Existence) },
	decide: func(a *updateGameArgs, r *reading) ([]hbase.Cell, error) {
		if err := existing(tables.Games, a.Code, r.row, "code"); err != nil {
			return nil, err
		}
		if err := unchanged(a.ExpectedVersion, r.last); err != nil {
			return nil, err
		}
		if a.Name == nil || *a.Name == attribute(r.row, "name") {
			return nil, errNothing
		}
		return tables.Games.Put(a.Code, &tables.Game{Name: a.Name}, r.at).Cells, nil
	},
	plan: func(updateGameArgs, op) plan { return plan{} },
})

type deleteGameArgs struct{ Code string }

// deleteGame makes the row say that the game is gone, and then takes away what was played of it: with that go the players, and the counts.
var deleteGame = register(kind[deleteGameArgs]{
	name: "deleteGame",
	row:  func(a deleteGameArgs) hbase.Get { return tables.Games.Get(a.Code, tables.Existence) },
	decide: func(a *deleteGameArgs, r *reading) ([]hbase.Cell, error) {
		if err := existing(tables.Games, a.Code, r.row, "code"); err != nil {
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
	a := createGameArgs{Code: in.code("code", g.Code), Origin: w.origin(caller, in.idempotencyKey("idempotencyKey", g.IdempotencyKey))}
	if a.Name = a.Code; g.Name != nil {
		a.Name = in.name("name", *g.Name)
	}
	if err := in.err(); err != nil {
		return "", err
	}
	_, err := do(ctx, w, createGame, &a)
	return a.Code, err
}

// UpdateGame changes what is said of a game, as far as it is not nil, and returns the game's code as it is stored. It may be refused with
// Problems.
func (w *Writers) UpdateGame(ctx context.Context, code string, name, expectedVersion *string) (string, error) {
	var in input
	a := updateGameArgs{Code: in.code("code", code), Name: optional(in.name, "name", name), ExpectedVersion: expectedVersion}
	if err := in.err(); err != nil {
		return "", err
	}
	_, err := do(ctx, w, updateGame, &a)
	return a.Code, err
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
