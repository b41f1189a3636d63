package resolvers

import (
	"context"

	"twibase/graph/apierr"
	"twibase/graph/model"
	"twibase/graph/relay"
	"twibase/hbase/tables"
	"twibase/loaders"
	"twibase/resolvers/permission"
	"twibase/writers"
)

var (
	mutationCreateGame = changes(permission.CreateGame, loaders.Games)
	mutationUpdateGame = changes(permission.UpdateGame, loaders.Games)
	mutationDeleteGame = changes(permission.DeleteGame, loaders.Games)
	mutationRecordPlay = changes(permission.RecordPlay, loaders.Games, userPayload)

	queryGame  = lookup[tables.Game]{loaders.Games, "code"}
	queryGames = scanOf(relay.AllGames, loaders.Games, gameConnection[struct{}](nil))

	gamePlayers = connectionOf(
		gameCodes, relay.Players, loaders.Players, loaders.Users, self, userConnection[string](nil))
	gameIsPlayed = reading[tables.Game, bool]{gameCodes, loaders.IsPlayed}
	gamePlays    = playsByDay{}
)

// CreateGame is the resolver for the createGame field.
func (r *mutationResolver) CreateGame(ctx context.Context, input model.CreateGameInput) (*model.CreateGamePayload, error) {
	c, err := mutationCreateGame.write(ctx, permission.About{}, func(ctx context.Context, viewer string) (string, error) {
		return r.Writers.CreateGame(ctx, viewer, writers.NewGame{
			Code: input.Code, Name: input.Name.Value(), IdempotencyKey: input.IdempotencyKey.Value(),
		})
	})
	return &model.CreateGamePayload{Game: c.object, UserErrors: c.userErrors, ClientMutationID: input.ClientMutationID.Value()}, err
}

// UpdateGame is the resolver for the updateGame field.
func (r *mutationResolver) UpdateGame(ctx context.Context, input model.UpdateGameInput) (*model.UpdateGamePayload, error) {
	c, err := mutationUpdateGame.write(ctx, permission.About{}, func(ctx context.Context, _ string) (string, error) {
		return r.Writers.UpdateGame(ctx, writers.GameChange{
			Code: input.Code, Name: given(input.Name), ExpectedVersion: input.ExpectedVersion.Value(),
		})
	})
	return &model.UpdateGamePayload{Game: c.object, UserErrors: c.userErrors, ClientMutationID: input.ClientMutationID.Value()}, err
}

// DeleteGame is the resolver for the deleteGame field.
func (r *mutationResolver) DeleteGame(ctx context.Context, input model.DeleteGameInput) (*model.DeleteGamePayload, error) {
	c, err := mutationDeleteGame.delete(ctx, permission.About{}, input.Code, r.Writers.DeleteGame)
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
	c, err := mutationRecordPlay.write(ctx, permission.About{}, func(ctx context.Context, viewer string) (game string, err error) {
		played, err = r.Writers.RecordPlay(ctx, viewer, play)
		return played.Game, err
	})
	player, err := userPayload.read(ctx, accessOf(ctx).viewer.Username, c.userErrors, err)
	payload := &model.RecordPlayPayload{
		Game: c.object, User: player, UserErrors: c.userErrors, ClientMutationID: input.ClientMutationID.Value(),
	}
	if len(c.userErrors) == 0 {
		payload.Day, payload.Count = &played.Day, &played.Count
	}
	return payload, err
}

// playsByDay is the field that returns how much all players together played on each day.
type playsByDay struct{}

func (playsByDay) resolve(ctx context.Context, games []*tables.Game, from, to string) ([][]*tables.DayCount, error) {
	keys := make([]loaders.DayRange, len(games))
	for i, code := range gameCodes(games) {
		var err error
		if keys[i], err = dayRange(code, from, to); err != nil {
			return nil, err
		}
	}
	days, err := loaders.GameDays.Load(ctx, keys)
	plays := make([][]*tables.DayCount, len(games))
	for i := range plays {
		plays[i] = pointers(days[i])
	}
	return plays, err
}

func (playsByDay) cost(call *costCall) error {
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
