package resolvers

import (
	"context"

	"twibase/graph/apierr"
	"twibase/graph/auth"
	"twibase/graph/permission"
	"twibase/loaders"
)

// permit returns who does something, or why that can't be done: UNAUTHENTICATED for a stranger, FORBIDDEN for others. What it depends on is
// read in one round; nothing is if the token alone tells. Then whoever was deleted counts as a stranger.
func permit(ctx context.Context, action permission.Action, about permission.About) (auth.Viewer, error) {
	s := sightsOf(ctx)
	verdict := s.decide(action, about)
	exist := func() ([]bool, error) { return []bool{s.known}, nil }
	if s.known && !verdict.Yes {
		exist = loaders.Users.Exists.Ask(ctx, []string{s.viewer.Username})
	}
	yes, err := s.may(ctx, 1, func(int) permission.Verdict { return verdict })
	there, thereErr := exist()
	err = loaders.Join(1, err, thereErr)
	switch {
	case yes[0]:
		return s.viewer, nil
	case err != nil:
		return s.viewer, loaders.At(err, 0)
	case !there[0]:
		return s.viewer, apierr.Unauthenticated("%s needs a token: log in, and send Authorization: Bearer TOKEN", action)
	}
	return s.viewer, apierr.Forbidden("%s is for %s", action, action.For())
}
