package resolvers

import (
	"cmp"
	"context"

	"twibase/graph/apierr"
	"twibase/graph/auth"
	"twibase/loaders"
	"twibase/resolvers/permission"
)

// leave reads whether something may be done, and returns nil if so; else why not.
type leave func(context.Context) error

// both is the leave of two, asked for at the same time; the first may be nil.
func both(first, second leave) leave {
	if first == nil {
		return second
	}
	return func(ctx context.Context) error {
		var err, other error
		loaders.Together(ctx, func() { err = first(ctx) }, func() { other = second(ctx) })
		return cmp.Or(err, other)
	}
}

// permit returns who does something, and what still has to be asked, nil if the token alone tells that they may; or why that can't be done:
// UNAUTHENTICATED for a stranger, FORBIDDEN for others. What it depends on is read in one round. Then whoever was deleted counts as a stranger.
func permit(ctx context.Context, action permission.Action, about permission.About) (auth.Viewer, leave, error) {
	s := sightsOf(ctx)
	switch verdict := s.decide(action, about); {
	case verdict.Yes:
		return s.viewer, nil, nil
	case !s.known:
		return s.viewer, nil, s.unknown(action)
	default:
		return s.viewer, func(ctx context.Context) error { return s.ask(ctx, action, verdict) }, nil
	}
}

// permitted is permit for who waits until it is known.
func permitted(ctx context.Context, action permission.Action, about permission.About) (auth.Viewer, error) {
	viewer, may, err := permit(ctx, action, about)
	if may != nil {
		err = may(ctx)
	}
	return viewer, err
}

func (s sights) unknown(action permission.Action) error {
	return apierr.Unauthenticated("%s needs a token: log in, and send Authorization: Bearer TOKEN", action)
}

// ask reads what a verdict depends on.
func (s sights) ask(ctx context.Context, action permission.Action, verdict permission.Verdict) error {
	exist := loaders.Users.Exists.Ask(ctx, []string{s.viewer.Username})
	yes, err := s.may(ctx, 1, func(int) permission.Verdict { return verdict })
	there, thereErr := exist()
	err = loaders.Join(1, err, thereErr)
	switch {
	case yes[0]:
		return nil
	case err != nil:
		return loaders.At(err, 0)
	case !there[0]:
		return s.unknown(action)
	}
	return apierr.Forbidden("%s is for %s", action, action.For())
}
