package writers

import (
	"cmp"
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
		return commitNew(tables.Games, a.Code, a, a.Origin, a.IdempotencyKey, r)
	},
})

// GameChange is the input of updateGame.
type GameChange struct {
	Code            string
	Name            Change[string]
	ExpectedVersion *string
}

var updateGame = register(updateType("updateGame", "code", tables.Games,
	func(a GameChange) (string, *string) { return a.Code, a.ExpectedVersion }))

type deleteGameArgs struct{ Code string }

var deleteGame = register(opType[deleteGameArgs]{
	name: "deleteGame", properties: properties{nonIdempotent: true},
	row: func(a deleteGameArgs) hbase.Get { return tables.Games.Get(a.Code, tables.Existence) },
	check: func(a *deleteGameArgs, r *reading) (decision, error) {
		if _, err := existing(tables.Games, a.Code, r.row, "code"); err != nil {
			return unchanged, err
		}
		return commit(tables.Games.Removal(r.at)...), nil
	},
	effects: func(a deleteGameArgs, _ operation) effects {
		return effects{later: clearAll(&tables.Games.AnyObject, a.Code)}
	},
})

// NewGame is the input of createGame.
type NewGame struct {
	Code           string
	Name           *string
	IdempotencyKey *string
}

// CreateGame returns the code.
func (w *Writers) CreateGame(ctx context.Context, caller string, g NewGame) (string, error) {
	var in input
	a := createGameArgs{Code: in.code("code", g.Code)}
	a.IdempotencyKey = in.idempotencyKey(g.IdempotencyKey)
	checkAttributes(&in, tables.Games, &g)
	a.Origin = w.origin(caller, a.IdempotencyKey)
	a.Name = *cmp.Or(g.Name, &a.Code)
	return a.Code, execute(ctx, w, &in, createGame, &a)
}

// UpdateGame returns the code.
func (w *Writers) UpdateGame(ctx context.Context, c GameChange) (string, error) {
	var in input
	c.Code = in.code("code", c.Code)
	checkAttributes(&in, tables.Games, &c)
	return c.Code, execute(ctx, w, &in, updateGame, &c)
}

// DeleteGame also deletes the plays.
func (w *Writers) DeleteGame(ctx context.Context, code string) error {
	var in input
	return execute(ctx, w, &in, deleteGame, &deleteGameArgs{in.code("code", code)})
}
