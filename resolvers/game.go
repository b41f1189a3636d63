package resolvers

import (
	"context"

	"twibase/graph/apierr"
	"twibase/graph/exec"
	"twibase/graph/model"
	"twibase/graph/relay"
	"twibase/hbase/tables"
	"twibase/loaders"
	"twibase/resolvers/permission"
	"twibase/writers"
)

var gameCosts = costs{
	"Mutation.createGame": changeCost(show(loaders.Games, "CreateGamePayload", "game", "Game")),
	"Mutation.updateGame": changeCost(show(loaders.Games, "UpdateGamePayload", "game", "Game")),
	"Mutation.deleteGame": changeCost(show(loaders.Games, "DeleteGamePayload", "game", "Game")),
	"Mutation.recordPlay": changeCost(show(loaders.Games, "RecordPlayPayload", "game", "Game"), show(loaders.Users, "RecordPlayPayload", "user", "User")),
	"Query.game":          rootCost(loaders.Games, "Game", "code", tables.CheckCode),
	"Query.games":         scanCost(relay.AllGames, "Game", loaders.Games),
	"Game.players":        players.cost,
	"Game.isPlayed": func(q *inquiry) error {
		q.read(q.Begin(), q.Parents, loaders.IsPlayed.Outline(""))
		return nil
	},
	"Game.plays": func(q *inquiry) error {
		days, err := dayRange("", argument[string](q, "from"), argument[string](q, "to"))
		if err == nil {
			q.read(q.Begin(), q.Parents, loaders.GameDays.Outline(days))
		}
		return err
	},
}

var players = edge[string, tables.User]{relay.Players, "User", loaders.Players, loaders.Users, self}

// Game is the resolver for the game field.
func (r *queryResolver) Game(ctx context.Context, code string) (*tables.Game, error) {
	return rootObject(ctx, loaders.Games, "Game", code, tables.CheckCode)
}

// CreateGame is the resolver for the createGame field.
func (r *mutationResolver) CreateGame(ctx context.Context, input model.CreateGameInput) (*model.CreateGamePayload, error) {
	viewer, may, err := permit(ctx, permission.CreateGame, permission.About{})
	if err != nil {
		return nil, err
	}
	game := writers.NewGame{Code: input.Code, Name: input.Name.Value(), IdempotencyKey: input.IdempotencyKey.Value()}
	errs, made, err := written(ctx, may, loaders.Games, "CreateGamePayload", "game", "Game", func(ctx context.Context) (string, error) {
		return r.Writers.CreateGame(ctx, viewer.Username, game)
	})
	if err != nil {
		return nil, err
	}
	return &model.CreateGamePayload{Game: made, UserErrors: errs, ClientMutationID: input.ClientMutationID.Value()}, nil
}

// UpdateGame is the resolver for the updateGame field.
func (r *mutationResolver) UpdateGame(ctx context.Context, input model.UpdateGameInput) (*model.UpdateGamePayload, error) {
	_, may, err := permit(ctx, permission.UpdateGame, permission.About{})
	if err != nil {
		return nil, err
	}
	change := writers.GameChange{Code: input.Code, Name: given(input.Name), ExpectedVersion: input.ExpectedVersion.Value()}
	errs, game, err := written(ctx, may, loaders.Games, "UpdateGamePayload", "game", "Game", func(ctx context.Context) (string, error) { return r.Writers.UpdateGame(ctx, change) })
	if err != nil {
		return nil, err
	}
	return &model.UpdateGamePayload{Game: game, UserErrors: errs, ClientMutationID: input.ClientMutationID.Value()}, nil
}

// DeleteGame is the resolver for the deleteGame field.
func (r *mutationResolver) DeleteGame(ctx context.Context, input model.DeleteGameInput) (*model.DeleteGamePayload, error) {
	_, may, err := permit(ctx, permission.DeleteGame, permission.About{})
	if err != nil {
		return nil, err
	}
	errs, game, id, err := removed(ctx, may, loaders.Games, "DeleteGamePayload", "game", "Game", tables.ID{Noun: tables.NounGame, Key: input.Code}, func(ctx context.Context) error {
		return r.Writers.DeleteGame(ctx, input.Code)
	})
	if err != nil {
		return nil, err
	}
	return &model.DeleteGamePayload{Game: game, DeletedID: id, UserErrors: errs, ClientMutationID: input.ClientMutationID.Value()}, nil
}

// RecordPlay is the resolver for the recordPlay field.
func (r *mutationResolver) RecordPlay(ctx context.Context, input model.RecordPlayInput) (*model.RecordPlayPayload, error) {
	viewer, may, err := permit(ctx, permission.RecordPlay, permission.About{})
	if err != nil {
		return nil, err
	}
	play := writers.NewPlay{Game: input.Game, Day: input.Day.Value(), Count: 1, IdempotencyKey: input.IdempotencyKey.Value()}
	if n := input.Count.Value(); n != nil {
		play.Count = *n
	}
	var played writers.Played
	errs, game, err := written(ctx, may, loaders.Games, "RecordPlayPayload", "game", "Game", func(ctx context.Context) (string, error) {
		played, err = r.Writers.RecordPlay(ctx, viewer.Username, play)
		return played.Game, err
	})
	if err != nil {
		return nil, err
	}
	payload := &model.RecordPlayPayload{UserErrors: errs, ClientMutationID: input.ClientMutationID.Value()}
	if len(errs) == 0 {
		payload.Game, payload.Day, payload.Count = game, &played.Day, &played.Count
		if payload.User, err = changed(ctx, loaders.Users, "RecordPlayPayload", "user", "User", viewer.Username); err != nil {
			return nil, err
		}
	}
	return payload, nil
}

// Games is the resolver for the games field.
func (r *queryResolver) Games(ctx context.Context, first *int, after *string, last *int, before *string) (*model.GameConnection, error) {
	page, err := scanned(ctx, relay.AllGames, "Game", loaders.Games, pageArgs{first, after, last, before})
	if err != nil {
		return nil, err
	}
	return new(gameConnection(page, nil)), nil
}

// Players is the batch resolver for the players field.
func (r *gameResolver) Players(ctx context.Context, objs []*tables.Game, first *int, after *string, last *int, before *string) ([]*model.UserConnection, error) {
	pages, err := players.pages(ctx, gameCodes(objs), pageArgs{first, after, last, before})
	return convert(pages, err, func(p *entries[string, tables.User]) model.UserConnection { return userConnection(p, nil) })
}

// IsPlayed is the batch resolver for the isPlayed field.
func (r *gameResolver) IsPlayed(ctx context.Context, objs []*tables.Game) ([]*bool, error) {
	answers, err := loaders.IsPlayed.Load(ctx, gameCodes(objs))
	return pointers(answers), err
}

// Plays is the batch resolver for the plays field.
func (r *gameResolver) Plays(ctx context.Context, objs []*tables.Game, from string, to string) ([][]*tables.DayCount, error) {
	keys := make([]loaders.DayRange, len(objs))
	for i, code := range gameCodes(objs) {
		var err error
		if keys[i], err = dayRange(code, from, to); err != nil {
			return nil, err
		}
	}
	days, err := loaders.GameDays.Load(ctx, keys)
	plays := make([][]*tables.DayCount, len(objs))
	for i := range plays {
		plays[i] = pointers(days[i])
	}
	return plays, err
}

func dayRange(game, from, to string) (loaders.DayRange, error) {
	if from > to {
		return loaders.DayRange{}, apierr.BadUserInput("from is after to: swap the days")
	}
	return loaders.DayRange{Game: game, From: from, To: to}, nil
}

func gameCodes(games []*tables.Game) []string {
	return keysOf(games, func(g *tables.Game) string { return g.Code })
}

// gameConnection makes a connection of a page. say adds what the list says of an entry; it is nil where it says nothing.
func gameConnection[E any](p *entries[E, tables.Game], say func(*model.GameEdge, E)) model.GameConnection {
	return model.GameConnection{Nodes: p.all(), PageInfo: p.info, TotalCount: p.total, Edges: edges(p, func(e *model.GameEdge, i int) {
		e.Cursor, e.Node = p.cursor(i), p.nodes[i]
		if say != nil {
			say(e, p.members[i])
		}
	})}
}

// Game returns exec.GameResolver implementation.
func (r *Resolver) Game() exec.GameResolver { return &gameResolver{r} }

type gameResolver struct{ *Resolver }
