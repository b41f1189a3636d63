package resolvers

import (
	"cmp"
	"context"

	"twibase/graph/apierr"
	"twibase/loaders"
	"twibase/resolvers/permission"
)

// check is an authorization check that has to read something. It returns nil if the viewer is
// authorized.
type check func(ctx context.Context) error

// all does checks in one round, and returns the error of the first that fails. A nil check succeeds.
func all(ctx context.Context, checks ...check) error {
	errs, run := make([]error, len(checks)), []func(){}
	for i, c := range checks {
		if c != nil {
			run = append(run, func() { errs[i] = c(ctx) })
		}
	}
	if len(run) > 0 {
		loaders.Together(ctx, run...)
	}
	return cmp.Or(errs...)
}

// authorize returns the viewer of an action, and the check that is left: nil if the token alone
// authorizes the viewer. The error, also that of the check, is UNAUTHENTICATED without a token and
// for a deleted viewer, and FORBIDDEN for others.
func authorize(
	ctx context.Context, action permission.Action, about permission.About,
) (viewer string, left check, err error) {
	a := accessOf(ctx)
	switch verdict := a.decide(action, about); {
	case verdict.Yes:
		return a.viewer.Username, nil, nil
	case !a.known:
		return "", nil, unauthenticated(action)
	default:
		return a.viewer.Username, func(ctx context.Context) error { return a.check(ctx, action, verdict) }, nil
	}
}

// authorizeNow is authorize with the check done, and others in the same round.
func authorizeNow(
	ctx context.Context, action permission.Action, about permission.About, others ...check,
) (viewer string, err error) {
	viewer, left, err := authorize(ctx, action, about)
	if err != nil {
		return viewer, err
	}
	return viewer, all(ctx, append([]check{left}, others...)...)
}

func unauthenticated(action permission.Action) error {
	return apierr.Unauthenticated("%s needs a token: log in, and send Authorization: Bearer TOKEN", action)
}

// check reads what a verdict depends on, in one round.
func (a access) check(ctx context.Context, action permission.Action, verdict permission.Verdict) error {
	awaitViewer := loaders.Users.Exists.Ask(ctx, []string{a.viewer.Username})
	yes, err := a.allowed(ctx, 1, func(int) permission.Verdict { return verdict })
	exists, existsErr := awaitViewer()
	err = loaders.Join(1, err, existsErr)
	switch {
	case yes[0]:
		return nil
	case err != nil:
		return loaders.At(err, 0)
	case !exists[0]:
		return unauthenticated(action)
	}
	return apierr.Forbidden("%s is for %s", action, action.For())
}
