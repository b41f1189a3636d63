package resolvers

import (
	"cmp"
	"context"

	"twibase/graph/apierr"
	"twibase/graph/auth"
	"twibase/graph/explain"
	"twibase/hbase/tables"
	"twibase/loaders"
	"twibase/resolvers/permission"
)

// access is the viewer of a request.
type access struct {
	viewer auth.Viewer
	known  bool // false without a token
}

func accessOf(ctx context.Context) access {
	viewer, known := auth.ViewerOf(ctx)
	return access{viewer: viewer, known: known}
}

func (a access) decide(action permission.Action, target permission.Target) permission.Verdict {
	return permission.Decide(action, a.viewer, a.known, target)
}

func (a access) allowed(ctx context.Context, n int, decide func(i int) permission.Verdict) ([]bool, error) {
	return allowed(ctx, n, func(i int) (string, permission.Verdict) { return a.viewer.Username, decide(i) })
}

// allowed evaluates verdicts. It reads the relations that they depend on in one round.
func allowed(
	ctx context.Context, n int, decide func(i int) (viewer string, verdict permission.Verdict),
) ([]bool, error) {
	results := make([]bool, n)
	type dependency struct{ decision, relation int }
	var dependencies []dependency
	var relations []loaders.EdgeKey
	indexes := map[loaders.EdgeKey]int{}
	depend := func(decision int, r loaders.EdgeKey) {
		index, known := indexes[r]
		if !known {
			index = len(relations)
			indexes[r], relations = index, append(relations, r)
		}
		dependencies = append(dependencies, dependency{decision, index})
	}
	for i := range n {
		viewer, verdict := decide(i)
		results[i] = verdict.Yes
		if verdict.IfAdmin {
			depend(i, loaders.AssignmentKey(viewer, permission.AdminRole))
		}
		if verdict.IfFollows != "" {
			depend(i, loaders.FollowKey(viewer, verdict.IfFollows))
		}
	}
	if len(relations) == 0 {
		return results, nil
	}
	related, err := effective(ctx, relations)
	for _, d := range dependencies {
		results[d.decision] = results[d.decision] || related[d.relation]
	}
	errs := make(loaders.Errors, n)
	for _, d := range dependencies {
		if !results[d.decision] && errs[d.decision] == nil {
			errs[d.decision] = loaders.At(err, d.relation)
		}
	}
	return results, loaders.Join(n, errs)
}

// effective reads whether relations exist. Those of a deleted viewer or admin role count as
// missing: background work may not have removed them yet. Followed users are not checked.
func effective(ctx context.Context, relations []loaders.EdgeKey) ([]bool, error) {
	viewers, roles := make([]string, len(relations)), []string(nil)
	for i, r := range relations {
		viewers[i] = r.From
		if r.Relation == tables.Assignments {
			roles = []string{permission.AdminRole}
		}
	}
	awaitViewers, awaitRoles := loaders.Users.Exists.Enqueue(ctx, viewers), loaders.Roles.Exists.Enqueue(ctx, roles)
	related, err := loaders.Related.Load(ctx, relations)
	viewerExists, viewerErr := awaitViewers()
	roleExists, roleErr := awaitRoles()
	errs := make(loaders.Errors, len(relations))
	for i, r := range relations {
		related[i] = related[i] && viewerExists[i]
		if r.Relation == tables.Assignments {
			related[i], errs[i] = related[i] && roleExists[0], loaders.At(roleErr, 0)
		}
	}
	return related, loaders.Join(len(relations), err, viewerErr, errs)
}

func (call *costCall) adminCost(at explain.Stage, condition string) explain.Stage {
	a := accessOf(call.Ctx)
	if !a.known || a.viewer.Admin {
		return at
	}
	call.readOther(at, call.Shared(), loaders.Users.Exists.Shape(""), theViewer, 1, condition)
	call.readOther(at, call.Shared(), loaders.Roles.Exists.Shape(""), permission.AdminRole, 1, condition)
	has := loaders.Related.Shape(loaders.AssignmentKey("", ""))
	return call.readOther(at, call.Shared(), has, permission.AdminRole, 1, condition)
}

// followsCost declares the reads that decide whether the viewer is an administrator, and whether
// the viewer follows users. users is their number for each object of the set. [costCall.readOther]
// explains subject.
func (call *costCall) followsCost(
	at explain.Stage, set *explain.Set, subject string, users int, condition string,
) explain.Stage {
	if a := accessOf(call.Ctx); !a.known || a.viewer.Admin || set.Cardinality == 0 || users == 0 {
		return at
	}
	call.adminCost(at, condition)
	return call.readOther(at, set, loaders.Related.Shape(loaders.FollowKey("", "")), subject, users, condition)
}

type check func(ctx context.Context) error

// all runs checks in parallel, and returns the first error in their order. Nil checks succeed.
func all(ctx context.Context, checks ...check) error {
	errs, run := make([]error, len(checks)), []func(){}
	for i, c := range checks {
		if c != nil {
			run = append(run, func() { errs[i] = c(ctx) })
		}
	}
	loaders.Together(ctx, run...)
	return cmp.Or(errs...)
}

// authorize returns the viewer and the remaining check, nil if no read is needed. err is
// UNAUTHENTICATED if a needed token is missing. The check returns nil if the viewer may do the
// action. Otherwise it returns UNAUTHENTICATED for a deleted viewer, FORBIDDEN for others, or an
// error of its reads.
func authorize(
	ctx context.Context, action permission.Action, target permission.Target,
) (viewer string, remaining check, err error) {
	a := accessOf(ctx)
	switch verdict := a.decide(action, target); {
	case verdict.Yes:
		return a.viewer.Username, nil, nil
	case !a.known:
		return "", nil, apierr.Unauthenticated("%s needs a token: log in, and send Authorization: Bearer TOKEN", action)
	default:
		return a.viewer.Username, func(ctx context.Context) error { return a.check(ctx, action, verdict) }, nil
	}
}

func authorizeNow(
	ctx context.Context, action permission.Action, target permission.Target, others ...check,
) (viewer string, err error) {
	viewer, remaining, err := authorize(ctx, action, target)
	if err != nil {
		return viewer, err
	}
	return viewer, all(ctx, append([]check{remaining}, others...)...)
}

func (a access) check(ctx context.Context, action permission.Action, verdict permission.Verdict) error {
	awaitViewer := loaders.Users.Exists.Enqueue(ctx, []string{a.viewer.Username})
	yes, err := a.allowed(ctx, 1, func(int) permission.Verdict { return verdict })
	exists, existsErr := awaitViewer()
	err = loaders.Join(1, err, existsErr)
	switch {
	case yes[0]:
		return nil
	case err != nil:
		return loaders.At(err, 0)
	case !exists[0]:
		return apierr.Unauthenticated(
			"%s needs an existing user, and the user of the token does not exist: log in as another user", action)
	}
	return apierr.Forbidden("%s is for %s", action, action.For())
}
