package resolvers

import (
	"context"

	"twibase/graph/explain"
	"twibase/hbase/tables"
	"twibase/loaders"
	"twibase/resolvers/permission"
)

var permitted = permission.Verdict{Yes: true}

func allowedByOwner(ctx context.Context, action permission.Action, usernames []string) ([]bool, error) {
	a := accessOf(ctx)
	return a.allowed(ctx, len(usernames), func(i int) permission.Verdict {
		return a.decide(action, permission.Target{Owner: usernames[i]})
	})
}

var twitVisibility = visibility[tables.Twit]{
	visibleTwits,
	func(call *costCall, at explain.Stage, set *explain.Set, subject string, n int) explain.Stage {
		return call.followsCost(at, set, subject, n, ifMoments)
	},
}

func visibleTwits(ctx context.Context, twits []*tables.Twit) ([]*tables.Twit, error) {
	a := accessOf(ctx)
	may, err := a.allowed(ctx, len(twits), func(i int) permission.Verdict { return a.twit(twits[i]) })
	hide(twits, may)
	return twits, err
}

func (a access) twit(t *tables.Twit) permission.Verdict {
	switch {
	case t == nil:
		return permitted
	case t.Visibility == tables.Public:
		return a.decide(permission.SeeTwit, permission.Target{Owner: t.AuthorName})
	default:
		return a.decide(permission.SeeMoment, permission.Target{Owner: t.AuthorName})
	}
}

// commentVisibility also hides comments of deleted authors, but not from themselves.
var commentVisibility = visibility[tables.Comment]{
	visibleComments,
	func(call *costCall, at explain.Stage, set *explain.Set, _ string, n int) explain.Stage {
		if !accessOf(call.Ctx).known || set.Cardinality == 0 {
			return at
		}
		exist := call.readOther(at, set, loaders.Users.Exists.Shape(""), "", n, "")
		return explain.Latest(call.followsCost(at, set, "", n, ""), exist)
	},
}

// visibleComments checks the existence of authors in one round with the permissions.
func visibleComments(ctx context.Context, comments []*tables.Comment) ([]*tables.Comment, error) {
	a := accessOf(ctx)
	verdicts := make([]permission.Verdict, len(comments))
	var others []int
	var authors []string
	for i, c := range comments {
		if verdicts[i] = permitted; c == nil {
			continue
		}
		verdicts[i] = a.comment(c)
		if verdicts[i] != (permission.Verdict{}) && c.AuthorName != a.viewer.Username {
			others, authors = append(others, i), append(authors, c.AuthorName)
		}
	}
	awaitAuthors := loaders.Users.Exists.Enqueue(ctx, authors)
	may, err := a.allowed(ctx, len(comments), func(i int) permission.Verdict { return verdicts[i] })
	exists, existsErr := awaitAuthors()
	errs := make(loaders.Errors, len(comments))
	for j, i := range others {
		if may[i] {
			may[i], errs[i] = exists[j], loaders.At(existsErr, j)
		}
	}
	hide(comments, may)
	return comments, loaders.Join(len(comments), err, errs)
}

func (a access) comment(c *tables.Comment) permission.Verdict {
	if c == nil {
		return permitted
	}
	return a.decide(permission.SeeComment, permission.Target{Owner: c.AuthorName, TwitAuthor: c.Twit.Author})
}

func hide[T any](objects []*T, may []bool) {
	for i, yes := range may {
		if !yes {
			objects[i] = nil
		}
	}
}

// visibleCounts returns the number of twits of each owner, nil for a deleted user. Moments count
// only if the viewer may see them.
func visibleCounts(
	ctx context.Context, owners []string, users []*tables.User, counts func(*tables.User) (all, public *int),
) ([]*int, error) {
	may, err := allowedByOwner(ctx, permission.CountMoments, owners)
	visible := make([]*int, len(owners))
	for i, user := range users {
		if user == nil {
			continue
		}
		all, public := counts(user)
		if visible[i] = public; may[i] {
			visible[i] = all
		}
	}
	return visible, err
}
