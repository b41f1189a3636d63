package resolvers

import (
	"context"

	"twibase/graph/apierr"
	"twibase/graph/model"
	"twibase/hbase/tables"
	"twibase/loaders"
	"twibase/resolvers/permission"
	"twibase/writers"
)

var (
	mutationCreateGame = changes(permission.CreateGame, loaders.Games, writeNewGame)
	mutationUpdateGame = changes(permission.UpdateGame, loaders.Games, writeGame)
	mutationDeleteGame = deletes(permission.DeleteGame, loaders.Games,
		func(in *model.DeleteGameInput) string { return named(in.Code) },
		func(ctx context.Context, w *writers.Writers, code string, _ *model.DeleteGameInput) error {
			return w.DeleteGame(ctx, code)
		})
	mutationRecordPlay = playMutation{mutationOf(permission.RecordPlay, gamePayload, userPayload)}

	createGamePayloadGameEdge = edgeOfScan(queryGames, gameEdges,
		keyIn(gameCodes, func(p *model.CreateGamePayload) *tables.Game { return p.Game }))
	playedGame                = keyIn(gameCodes, func(p *model.RecordPlayPayload) *tables.Game { return p.Game })
	recordPlayPayloadGameEdge = edgeOfMember(userGames, gameEdges, viewerKey, playedGame)
	recordPlayPayloadUserEdge = edgeOfMember(gamePlayers, userEdges, playedGame, viewerKey)

	queryGame  = lookup[tables.Game]{loaders.Games, "code"}
	queryGames = scan[tables.Game, model.GameConnection]{loaders.Games, gameConnection[struct{}](nil)}

	gamePlayers = connectionOf(
		gameCodes, loaders.Players, loaders.Users, self, userConnection[string](nil))
	gameIsPlayed = reading[tables.Game, bool]{gameCodes, loaders.IsPlayed}
	gamePlays    = playsByDay{}
)

func writeNewGame(ctx context.Context, w *writers.Writers, viewer string, in *model.CreateGameInput) (string, error) {
	return w.CreateGame(ctx, viewer, writers.NewGame{
		Code: in.Code, Name: in.Name.Value(), IdempotencyKey: in.IdempotencyKey.Value(),
	})
}

func writeGame(ctx context.Context, w *writers.Writers, _ string, in *model.UpdateGameInput) (string, error) {
	return w.UpdateGame(ctx, writers.GameChange{
		Code: named(in.Code), Name: given(in.Name), ExpectedVersion: in.ExpectedVersion.Value(),
	})
}

var gamePayload = payloadObject[tables.Game]{loaders.Games}

type playMutation struct{ mutation }

func (m playMutation) resolve(
	ctx context.Context, r *Resolver, in *model.RecordPlayInput,
	game **tables.Game, player **tables.User, day **string, count **int,
) ([]*model.UserError, error) {
	play := writers.NewPlay{Game: named(in.Game), Day: in.Day.Value(), Count: 1, IdempotencyKey: in.IdempotencyKey.Value()}
	if n := in.Count.Value(); n != nil {
		play.Count = *n
	}
	var played writers.Played
	var username string
	userErrors, err := m.run(ctx, permission.Target{}, func(ctx context.Context, viewer string) (err error) {
		username = viewer
		played, err = r.Writers.RecordPlay(ctx, viewer, play)
		return err
	})
	if len(userErrors) == 0 {
		*day, *count = &played.Day, &played.Count
	}
	*game, err = gamePayload.read(ctx, played.Game, userErrors, err)
	*player, err = userPayload.read(ctx, username, userErrors, err)
	return userErrors, err
}

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
	if call.Open("from") || call.Open("to") { // the request may have valid days
		err = nil
	}
	if err == nil {
		call.read(call.Begin(), call.Parents, loaders.GameDays.Shape(days))
	}
	return err
}

func dayRange(game, from, to string) (loaders.DayRange, error) {
	if tables.CheckDay(from) != nil || tables.CheckDay(to) != nil {
		return loaders.DayRange{}, apierr.BadUserInput("from and to must be days such as 2014-12-25, from 1970 on")
	}
	if from > to {
		return loaders.DayRange{}, apierr.BadUserInput("from is after to: swap the days")
	}
	return loaders.DayRange{Game: game, From: from, To: to}, nil
}

func gameCodes(games []*tables.Game) []string {
	return keysOf(games, func(g *tables.Game) string { return g.Code })
}
