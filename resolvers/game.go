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

var gameFields = fields{
	"Mutation.createGame": createGame,
	"Mutation.updateGame": updateGame,
	"Mutation.deleteGame": deleteGame,
	"Mutation.recordPlay": recordPlay,
	"Query.game":          game,
	"Query.games":         games,
	"Game.players":        players,
	"Game.isPlayed":       isPlayed,
	"Game.plays":          costFunc(playsCost),
}

var (
	createGame = changes(permission.CreateGame, gamePayload)
	updateGame = changes(permission.UpdateGame, gamePayload)
	deleteGame = changes(permission.DeleteGame, gamePayload)
	recordPlay = relates(permission.RecordPlay, gamePayload, userPayload)
	game       = lookup[tables.Game]{loaders.Games, "code", tables.CheckCode}
	games      = scanOf(relay.AllGames, loaders.Games, gameConnection[struct{}](nil))
	players    = connectionOf(relay.Players, loaders.Players, loaders.Users, self, userConnection[string](nil))
	isPlayed   = reading[bool]{loaders.IsPlayed}
)

// Game is the resolver for the game field.
func (r *queryResolver) Game(ctx context.Context, code string) (*tables.Game, error) {
	return game.resolve(ctx, code)
}

// CreateGame is the resolver for the createGame field.
func (r *mutationResolver) CreateGame(ctx context.Context, input model.CreateGameInput) (*model.CreateGamePayload, error) {
	c, err := create(ctx, createGame, r.Writers.CreateGame, writers.NewGame{
		Code: input.Code, Name: input.Name.Value(), IdempotencyKey: input.IdempotencyKey.Value(),
	})
	return &model.CreateGamePayload{Game: c.object, UserErrors: c.userErrors, ClientMutationID: input.ClientMutationID.Value()}, err
}

// UpdateGame is the resolver for the updateGame field.
func (r *mutationResolver) UpdateGame(ctx context.Context, input model.UpdateGameInput) (*model.UpdateGamePayload, error) {
	c, err := update(ctx, updateGame, permission.About{}, r.Writers.UpdateGame, writers.GameChange{
		Code: input.Code, Name: given(input.Name), ExpectedVersion: input.ExpectedVersion.Value(),
	})
	return &model.UpdateGamePayload{Game: c.object, UserErrors: c.userErrors, ClientMutationID: input.ClientMutationID.Value()}, err
}

// DeleteGame is the resolver for the deleteGame field.
func (r *mutationResolver) DeleteGame(ctx context.Context, input model.DeleteGameInput) (*model.DeleteGamePayload, error) {
	c, err := deleteGame.delete(ctx, permission.About{}, input.Code, r.Writers.DeleteGame)
	return &model.DeleteGamePayload{
		Game: c.object, DeletedID: c.deletedID, UserErrors: c.userErrors, ClientMutationID: input.ClientMutationID.Value(),
	}, err
}

// RecordPlay is the resolver for the recordPlay field.
func (r *mutationResolver) RecordPlay(ctx context.Context, input model.RecordPlayInput) (*model.RecordPlayPayload, error) {
	play := writers.NewPlay{
		Game: input.Game, Day: input.Day.Value(), Count: 1, IdempotencyKey: input.IdempotencyKey.Value(),
	}
	if n := input.Count.Value(); n != nil {
		play.Count = *n
	}
	var played writers.Played
	c, player, err := recordPlay.write(ctx, func(ctx context.Context, viewer string) (game, user string, err error) {
		played, err = r.Writers.RecordPlay(ctx, viewer, play)
		return played.Game, viewer, err
	})
	payload := &model.RecordPlayPayload{
		Game: c.object, User: player, UserErrors: c.userErrors, ClientMutationID: input.ClientMutationID.Value(),
	}
	if len(c.userErrors) == 0 {
		payload.Day, payload.Count = &played.Day, &played.Count
	}
	return payload, err
}

// Games is the resolver for the games field.
func (r *queryResolver) Games(ctx context.Context, first *int, after *string, last *int, before *string) (*model.GameConnection, error) {
	return games.resolve(ctx, pageArgs{first, after, last, before})
}

// Players is the batch resolver for the players field.
func (r *gameResolver) Players(
	ctx context.Context, objs []*tables.Game, first *int, after *string, last *int, before *string,
) ([]*model.UserConnection, error) {
	return players.resolve(ctx, gameCodes(objs), pageArgs{first, after, last, before})
}

// IsPlayed is the batch resolver for the isPlayed field.
func (r *gameResolver) IsPlayed(ctx context.Context, objs []*tables.Game) ([]*bool, error) {
	return isPlayed.resolve(ctx, gameCodes(objs))
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

func playsCost(call *costCall) error {
	days, err := dayRange("", argument[string](call, "from"), argument[string](call, "to"))
	if err == nil {
		call.read(call.Begin(), call.Parents, loaders.GameDays.Outline(days))
	}
	return err
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

// gameConnection returns the function that shows a page as a connection. fill sets what an edge
// shows of its member; it may be nil.
func gameConnection[E any](fill func(edge *model.GameEdge, member E)) func(*page[E, tables.Game]) model.GameConnection {
	return func(p *page[E, tables.Game]) model.GameConnection {
		return model.GameConnection{Nodes: p.all(), PageInfo: p.info, TotalCount: p.total, Edges: edges(p, func(e *model.GameEdge, i int) {
			e.Cursor, e.Node = p.cursor(i), p.nodes[i]
			if fill != nil {
				fill(e, p.members[i])
			}
		})}
	}
}

// Game returns exec.GameResolver implementation.
func (r *Resolver) Game() exec.GameResolver { return &gameResolver{r} }

type gameResolver struct{ *Resolver }
