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

var createGame = register(opType[createGameArgs]{
	name: "createGame",
	row:  func(a createGameArgs) hbase.Get { return tables.Games.Get(a.Code, originColumns) },
	check: func(a *createGameArgs, r *reading) (decision, error) {
		if before, err := checkCode(r.row, a.Code, a.Origin, a.IdempotencyKey); err != nil || before {
			return unchanged, err
		}
		put := tables.Games.Put(a.Code, &tables.Game{Name: &a.Name, Version: &r.id}, r.at)
		return commit(append(put.Cells, originCell(a.Origin, r.at))...), nil
	},
})

// GameChange is an update of a game.
type GameChange struct {
	Code string
	Name Change[string]
	// ExpectedVersion is the version that the caller read, nil for any.
	ExpectedVersion *string
}

var updateGame = register(opType[GameChange]{
	name: "updateGame", properties: properties{nonIdempotent: true}, // a second one could revert a later update
	row: func(a GameChange) hbase.Get {
		return tables.Games.Get(a.Code, tables.Games.Columns([]string{"name", "version"}))
	},
	check: func(a *GameChange, r *reading) (decision, error) {
		game, err := existing(tables.Games, a.Code, r.row, "code")
		if err != nil {
			return unchanged, err
		}
		if err := checkVersion(a.ExpectedVersion, *game.Version); err != nil {
			return unchanged, err
		}
		var u update
		var new tables.Game
		set(&u, "name", game.Name, a.Name, &new.Name)
		return u.decision(tables.Games.Put(a.Code, &new, r.at), r.operation)
	},
})

type deleteGameArgs struct{ Code string }

// deleteGame marks the game as deleted, and then erases its plays, and with them the players and
// the counts.
var deleteGame = register(opType[deleteGameArgs]{
	// A second one could delete the next game of that code.
	name: "deleteGame", properties: properties{nonIdempotent: true},
	row: func(a deleteGameArgs) hbase.Get { return tables.Games.Get(a.Code, tables.Existence) },
	check: func(a *deleteGameArgs, r *reading) (decision, error) {
		if err := ref(tables.Games, a.Code, "code").check(r.row); err != nil {
			return unchanged, err
		}
		return commit(tables.Games.Removal(r.at)...), nil
	},
	plan: func(a deleteGameArgs, _ operation) plan {
		return plan{later: clearAll(&tables.Games.AnyObject, a.Code)}
	},
})

// NewGame is the input of a creation.
type NewGame struct {
	Code string
	// Name is the code if it is nil.
	Name           *string
	IdempotencyKey *string
}

// CreateGame creates a game, and returns its normalised code. With the same caller and
// idempotency key, it does nothing the second time. The error may be UserErrors.
func (w *Writers) CreateGame(ctx context.Context, caller string, g NewGame) (string, error) {
	var in input
	a := createGameArgs{Code: in.code("code", g.Code)}
	a.IdempotencyKey = in.idempotencyKey("idempotencyKey", g.IdempotencyKey)
	a.Origin = w.origin(caller, a.IdempotencyKey)
	if a.Name = a.Code; g.Name != nil {
		a.Name = in.name("name", *g.Name)
	}
	return a.Code, run(ctx, w, &in, createGame, &a)
}

// UpdateGame changes a game, and returns its normalised code. The error may be UserErrors.
func (w *Writers) UpdateGame(ctx context.Context, c GameChange) (string, error) {
	var in input
	c.Code, c.Name = in.code("code", c.Code), in.changedName(in.name, c.Name)
	return c.Code, run(ctx, w, &in, updateGame, &c)
}

// DeleteGame deletes a game and its plays. The error may be UserErrors.
func (w *Writers) DeleteGame(ctx context.Context, code string) error {
	var in input
	return run(ctx, w, &in, deleteGame, &deleteGameArgs{in.code("code", code)})
}
