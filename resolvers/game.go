package resolvers

import (
	"context"
	"fmt"

	"twibase/graph/exec"
	"twibase/graph/model"
	"twibase/hbase/tables"
)

// Players is the batch resolver for the players field.
func (r *gameResolver) Players(ctx context.Context, objs []*tables.Game, first *int, after *string, last *int, before *string) ([]*model.UserConnection, error) {
	panic(fmt.Errorf("not implemented: Players - players"))
}

// IsPlayed is the batch resolver for the isPlayed field.
func (r *gameResolver) IsPlayed(ctx context.Context, objs []*tables.Game) ([]*bool, error) {
	panic(fmt.Errorf("not implemented: IsPlayed - isPlayed"))
}

// Plays is the batch resolver for the plays field.
func (r *gameResolver) Plays(ctx context.Context, objs []*tables.Game, from string, to string) ([][]*tables.DayCount, error) {
	panic(fmt.Errorf("not implemented: Plays - plays"))
}

// Game is the resolver for the game field.
func (r *queryResolver) Game(ctx context.Context, code string) (*tables.Game, error) {
	panic(fmt.Errorf("not implemented: Game - game"))
}

// Games is the resolver for the games field.
func (r *queryResolver) Games(ctx context.Context, first *int, after *string, last *int, before *string) (*model.GameConnection, error) {
	panic(fmt.Errorf("not implemented: Games - games"))
}

// Game returns exec.GameResolver implementation.
func (r *Resolver) Game() exec.GameResolver { return &gameResolver{r} }

type gameResolver struct{ *Resolver }
