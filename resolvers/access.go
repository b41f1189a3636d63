package resolvers

import (
	"context"

	"twibase/graph/auth"
	"twibase/graph/explain"
	"twibase/hbase/tables"
	"twibase/loaders"
	"twibase/resolvers/permission"
)

// Package permission decides who may do what; this file reads what its decisions depend on, and
// declares what that costs.

// access is what a viewer may see and do.
type access struct {
	viewer auth.Viewer
	known  bool // false for a request without a token
}

func accessOf(ctx context.Context) access {
	viewer, known := auth.ViewerOf(ctx)
	return access{viewer: viewer, known: known}
}

func (a access) decide(action permission.Action, about permission.About) permission.Verdict {
	return permission.Decide(action, a.viewer, a.known, about)
}

// allowed returns whether the viewer is allowed n things. It reads nothing if no verdict depends on
// what is stored.
func (a access) allowed(ctx context.Context, n int, decide func(i int) permission.Verdict) ([]bool, error) {
	return allowed(ctx, n, func(i int) (string, permission.Verdict) { return a.viewer.Username, decide(i) })
}

// allowed returns whether viewers are allowed n things. It reads in one round what the verdicts
// depend on, each relation once: usually all depend on whether one viewer is an administrator.
func allowed(
	ctx context.Context, n int, decide func(i int) (viewer string, verdict permission.Verdict),
) ([]bool, error) {
	answers := make([]bool, n)
	type dependency struct{ answer, relation int }
	var dependencies []dependency
	var relations []loaders.Relation
	indexes := map[loaders.Relation]int{}
	depend := func(answer int, r loaders.Relation) {
		index, known := indexes[r]
		if !known {
			index = len(relations)
			indexes[r], relations = index, append(relations, r)
		}
		dependencies = append(dependencies, dependency{answer, index})
	}
	for i := range n {
		viewer, verdict := decide(i)
		answers[i] = verdict.Yes
		if verdict.IfAdmin {
			depend(i, loaders.Has(viewer, permission.AdminRole))
		}
		if verdict.IfFollows != "" {
			depend(i, loaders.Follows(viewer, verdict.IfFollows))
		}
	}
	if len(relations) == 0 {
		return answers, nil
	}
	related, err := effective(ctx, relations)
	for _, d := range dependencies {
		answers[d.answer] = answers[d.answer] || related[d.relation]
	}
	errs := make(loaders.Errors, n)
	for _, d := range dependencies {
		if !answers[d.answer] && errs[d.answer] == nil {
			errs[d.answer] = loaders.At(err, d.relation)
		}
	}
	return answers, loaders.Join(n, errs)
}

// effective returns which relations of viewers are in effect: the relation exists, and so do the
// viewer and the role. The relations of a deleted user or role are removed in the background; until
// then they grant nothing. It takes one round.
func effective(ctx context.Context, relations []loaders.Relation) ([]bool, error) {
	viewers, roles := make([]string, len(relations)), []string(nil)
	for i, r := range relations {
		viewers[i] = r.A
		if r.Kind == tables.Assignments {
			roles = []string{permission.AdminRole}
		}
	}
	awaitViewers, awaitRoles := loaders.Users.Exists.Ask(ctx, viewers), loaders.Roles.Exists.Ask(ctx, roles)
	related, err := loaders.Related.Load(ctx, relations)
	viewerExists, viewerErr := awaitViewers()
	roleExists, roleErr := awaitRoles()
	errs := make(loaders.Errors, len(relations))
	for i, r := range relations {
		related[i] = related[i] && viewerExists[i]
		if r.Kind == tables.Assignments {
			related[i], errs[i] = related[i] && roleExists[0], loaders.At(roleErr, 0)
		}
	}
	return related, loaders.Join(len(relations), err, viewerErr, errs)
}

// adminCost declares the reads that tell whether the viewer is an administrator.
func (call *costCall) adminCost(at explain.Stage, condition string) explain.Stage {
	a := accessOf(call.Ctx)
	if !a.known || a.viewer.Admin {
		return at
	}
	call.ask(at, call.Shared(), loaders.Users.Exists.Shape(""), theViewer, 1, condition)
	call.ask(at, call.Shared(), loaders.Roles.Exists.Shape(""), permission.AdminRole, 1, condition)
	return call.ask(at, call.Shared(), loaders.Related.Shape(loaders.Has("", "")), permission.AdminRole, 1, condition)
}

// followsCost declares the reads that tell whether the viewer follows users: one of each object, or
// so many if there is no subject.
func (call *costCall) followsCost(
	at explain.Stage, set *explain.Set, subject string, users int, condition string,
) explain.Stage {
	if a := accessOf(call.Ctx); !a.known || a.viewer.Admin || set.Cardinality == 0 || users == 0 {
		return at
	}
	call.adminCost(at, condition)
	return call.ask(at, set, loaders.Related.Shape(loaders.Follows("", "")), subject, users, condition)
}
