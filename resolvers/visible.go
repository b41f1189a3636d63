package resolvers

import (
	"context"

	"twibase/graph/auth"
	"twibase/hbase/tables"
	"twibase/loaders"
)

// This file alone decides who sees what. What may not be seen is nil, exactly like what does not exist.

// adminRole is the role whose holders are administrators.
const adminRole = "admin"

// sights collects questions about the viewer's relations, so that all of them are asked in one round.
type sights struct {
	viewer  auth.Viewer
	known   bool
	asked   []loaders.Relation
	waiting []int
}

func sightsOf(ctx context.Context) sights {
	viewer, known := auth.ViewerOf(ctx)
	return sights{viewer: viewer, known: known}
}

// may returns the answers of n questions. decide says yes, no, or whom the viewer would have to follow; an
// administrator may always. Nothing is read for a stranger, nor where no answer depends on it.
func (s sights) may(ctx context.Context, n int, decide func(i int) (yes bool, follow string)) ([]bool, error) {
	answers := make([]bool, n)
	for i := range n {
		yes, follow := decide(i)
		if answers[i] = yes || s.viewer.Admin; answers[i] || !s.known {
			continue
		}
		s.asked, s.waiting = append(s.asked, loaders.Has(s.viewer.Username, adminRole)), append(s.waiting, i)
		if follow != "" {
			s.asked, s.waiting = append(s.asked, loaders.Follows(s.viewer.Username, follow)), append(s.waiting, i)
		}
	}
	if len(s.asked) == 0 {
		return answers, nil
	}
	related, err := loaders.Related.Load(ctx, s.asked)
	errs := make(loaders.Errors, n)
	for j, i := range s.waiting {
		answers[i] = answers[i] || related[j]
	}
	for j, i := range s.waiting {
		if !answers[i] && errs[i] == nil {
			errs[i] = loaders.At(err, j)
		}
	}
	return answers, loaders.Join(n, errs)
}

// owned answers, for each username, whether the viewer is that user or an administrator.
func owned(ctx context.Context, usernames []string) ([]bool, error) {
	s := sightsOf(ctx)
	return s.may(ctx, len(usernames), func(i int) (bool, string) {
		return s.known && usernames[i] == s.viewer.Username, ""
	})
}

// visibleTwits returns those of the twits that the viewer may see, and nil in the place of the others. A public twit is for everybody; a
// Moment for its author, the author's followers and administrators.
func visibleTwits(ctx context.Context, twits []*tables.Twit) ([]*tables.Twit, error) {
	s := sightsOf(ctx)
	return keep(twits, func() ([]bool, error) {
		return s.may(ctx, len(twits), func(i int) (bool, string) {
			t := twits[i]
			return t == nil || t.Visibility == tables.Public || s.known && t.AuthorName == s.viewer.Username, authorOf(t)
		})
	})
}

func authorOf(t *tables.Twit) string {
	if t == nil {
		return ""
	}
	return t.AuthorName
}

// visibleComments returns those of the comments that the viewer may see, and nil in the place of the others. A comment is for its author,
// the author of its twit, whoever follows its author, and administrators.
func visibleComments(ctx context.Context, comments []*tables.Comment) ([]*tables.Comment, error) {
	s := sightsOf(ctx)
	return keep(comments, func() ([]bool, error) {
		return s.may(ctx, len(comments), func(i int) (bool, string) {
			c := comments[i]
			if c == nil {
				return true, ""
			}
			return s.known && (c.AuthorName == s.viewer.Username || c.Twit.Author == s.viewer.Username), c.AuthorName
		})
	})
}

func keep[T any](things []*T, may func() ([]bool, error)) ([]*T, error) {
	answers, err := may()
	seen := make([]*T, len(things))
	for i, yes := range answers {
		if yes {
			seen[i] = things[i]
		}
	}
	return seen, err
}

// visibleCounts returns how many of what each owner posted the viewer may see: all of it, or what is public. The users are as read,
// nil where there is none.
func visibleCounts(ctx context.Context, owners []string, users []*tables.User, counts func(*tables.User) (all, public *int)) ([]*int, error) {
	s := sightsOf(ctx)
	all, err := s.may(ctx, len(owners), func(i int) (bool, string) {
		return s.known && owners[i] == s.viewer.Username, owners[i]
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
