package resolvers

import (
	"context"

	"twibase/graph/auth"
	"twibase/hbase/tables"
	"twibase/loaders"
	"twibase/resolvers/permission"
)

// Who sees what is package permission's to say; this file asks it, and reads what the answer depends on. What may not be seen is nil, exactly
// like what does not exist.

// sights are what a viewer may.
type sights struct {
	viewer auth.Viewer
	known  bool
}

func sightsOf(ctx context.Context) sights {
	viewer, known := auth.ViewerOf(ctx)
	return sights{viewer: viewer, known: known}
}

func (s sights) decide(action permission.Action, about permission.About) permission.Verdict {
	return permission.Decide(action, s.viewer, s.known, about)
}

// may returns the answers of n questions. Nothing is read for a stranger, nor where no answer depends on it.
func (s sights) may(ctx context.Context, n int, decide func(i int) permission.Verdict) ([]bool, error) {
	return allowed(ctx, n, func(i int) (string, permission.Verdict) { return s.viewer.Username, decide(i) })
}

// allowed returns the answers of n questions, each about a viewer. What they depend on is asked in one round, each thing once: mostly all
// depend on whether the one viewer is an administrator.
func allowed(ctx context.Context, n int, decide func(i int) (viewer string, verdict permission.Verdict)) ([]bool, error) {
	answers := make([]bool, n)
	type dependence struct{ question, asked int }
	var waiting []dependence
	var asked []loaders.Relation
	places := map[loaders.Relation]int{}
	depends := func(question int, on loaders.Relation) {
		place, known := places[on]
		if !known {
			place = len(asked)
			places[on], asked = place, append(asked, on)
		}
		waiting = append(waiting, dependence{question, place})
	}
	for i := range n {
		viewer, verdict := decide(i)
		answers[i] = verdict.Yes
		if verdict.IfAdmin {
			depends(i, loaders.Has(viewer, permission.AdminRole))
		}
		if verdict.IfFollows != "" {
			depends(i, loaders.Follows(viewer, verdict.IfFollows))
		}
	}
	if len(asked) == 0 {
		return answers, nil
	}
	related, err := standing(ctx, asked)
	errs := make(loaders.Errors, n)
	for _, w := range waiting {
		answers[w.question] = answers[w.question] || related[w.asked]
	}
	for _, w := range waiting {
		if !answers[w.question] && errs[w.question] == nil {
			errs[w.question] = loaders.At(err, w.asked)
		}
	}
	return answers, loaders.Join(n, errs)
}

// nothing is the verdict on what is not there: nothing has to be read for it.
var nothing = permission.Verdict{Yes: true}

// owned answers, for each username, whether the viewer may see what is the user's own.
func owned(ctx context.Context, action permission.Action, usernames []string) ([]bool, error) {
	s := sightsOf(ctx)
	return s.may(ctx, len(usernames), func(i int) permission.Verdict {
		return s.decide(action, permission.About{Owner: usernames[i]})
	})
}

// visibleTwits takes away those of the twits that the viewer may not see: nil is in their place.
func visibleTwits(ctx context.Context, twits []*tables.Twit) ([]*tables.Twit, error) {
	s := sightsOf(ctx)
	return keep(twits, func() ([]bool, error) {
		return s.may(ctx, len(twits), func(i int) permission.Verdict { return s.twit(twits[i]) })
	})
}

// twit decides whether a twit may be seen; nil is none.
func (s sights) twit(t *tables.Twit) permission.Verdict {
	switch {
	case t == nil:
		return nothing
	case t.Visibility == tables.Public:
		return s.decide(permission.SeeTwit, permission.About{Owner: t.AuthorName})
	default:
		return s.decide(permission.SeeMoment, permission.About{Owner: t.AuthorName})
	}
}

// visibleComments takes away those of the comments that the viewer may not see: nil is in their place. Those of an author who was deleted are
// gone at once, but for the viewer's own: whether their authors are there is asked in the round in which all else is.
func visibleComments(ctx context.Context, comments []*tables.Comment) ([]*tables.Comment, error) {
	s := sightsOf(ctx)
	verdicts := make([]permission.Verdict, len(comments))
	var asked []int
	var authors []string
	for i, c := range comments {
		if verdicts[i] = nothing; c == nil {
			continue
		}
		verdicts[i] = s.decide(permission.SeeComment, permission.About{Owner: c.AuthorName, TwitAuthor: c.Twit.Author})
		if verdicts[i] != (permission.Verdict{}) && c.AuthorName != s.viewer.Username {
			asked, authors = append(asked, i), append(authors, c.AuthorName)
		}
	}
	exist := loaders.Users.Exists.Ask(ctx, authors)
	return keep(comments, func() ([]bool, error) {
		may, err := s.may(ctx, len(comments), func(i int) permission.Verdict { return verdicts[i] })
		there, thereErr := exist()
		errs := make(loaders.Errors, len(comments))
		for j, i := range asked {
			if may[i] {
				may[i], errs[i] = there[j], loaders.At(thereErr, j)
			}
		}
		return may, loaders.Join(len(comments), err, errs)
	})
}

// keep takes away the things that the viewer may not see.
func keep[T any](things []*T, may func() ([]bool, error)) ([]*T, error) {
	answers, err := may()
	for i, yes := range answers {
		if !yes {
			things[i] = nil
		}
	}
	return things, err
}

// visibleCounts returns how many of what each owner posted the viewer may see: all of it, or what is public. The users are as read,
// nil where there is none.
func visibleCounts(ctx context.Context, owners []string, users []*tables.User, counts func(*tables.User) (all, public *int)) ([]*int, error) {
	s := sightsOf(ctx)
	all, err := s.may(ctx, len(owners), func(i int) permission.Verdict {
		return s.decide(permission.CountMoments, permission.About{Owner: owners[i]})
	})
	visible := make([]*int, len(owners))
	for i, user := range users {
		if user == nil {
			continue
		}
		whole, public := counts(user)
		if visible[i] = public; all[i] {
			visible[i] = whole
		}
	}
	return visible, err
}
