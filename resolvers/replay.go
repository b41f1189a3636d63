package resolvers

import (
	"context"
	"slices"
	"time"

	"twibase/hbase/tables"
	"twibase/live"
	"twibase/loaders"
	"twibase/resolvers/permission"
)

const (
	replayPage    = 100
	replayTimeout = 30 * time.Second
)

// replay sends the twits that arrived after the given one and before the subscription started. It
// omits those that the subscription delivers. It first sends twits older than the given one that
// may have arrived later, and then newer ones, oldest first. So if the replay is interrupted, the
// client has received all twits before its last one.
func (r *subscriptionResolver) replay(
	ctx context.Context, s *stream, after tables.TwitKey, send func(*tables.Twit) error,
) error {
	position := after.Position
	if s.kind == live.Timeline {
		position = tables.Timelines.Position(after)
	}
	sendAll := func(newestFirst []*tables.Twit) error {
		for _, t := range slices.Backward(newestFirst) {
			if t == nil || s.Delivers(t) {
				continue
			}
			if s.begun.Sub(t.PostedAt) <= live.Window {
				s.replayed[t.Key()] = true
			}
			if err := send(t); err != nil {
				return err
			}
		}
		return nil
	}
	late, err := r.lateTwits(ctx, s, after, position)
	if err != nil {
		return err
	}
	if err := sendAll(late); err != nil {
		return err
	}
	for before := position; ; {
		page, err := r.replayPage(ctx, s, loaders.Range{Before: before, Limit: replayPage, Backward: true})
		if err != nil {
			return err
		}
		if err := sendAll(page.Members); err != nil {
			return err
		}
		if !page.HasPrevious || len(page.Positions) == 0 {
			return nil
		}
		before = page.Positions[0]
	}
}

// lateTwits returns the twits that are older than the received one and may have arrived later,
// newest first.
func (r *subscriptionResolver) lateTwits(
	ctx context.Context, s *stream, received tables.TwitKey, position string,
) (late []*tables.Twit, err error) {
	at, _, err := received.Parts()
	if err != nil {
		return nil, err
	}
	oldest := tables.LaterThan(at.Add(-live.Window))
	for {
		page, err := r.replayPage(ctx, s, loaders.Range{After: position, Limit: replayPage})
		if err != nil {
			return nil, err
		}
		for _, t := range page.Members {
			if t != nil && s.MayHaveMissed(t.Key(), received) {
				late = append(late, t)
			}
		}
		if !page.HasNext || len(page.Positions) == 0 {
			return late, nil
		}
		if position = page.Positions[len(page.Positions)-1]; position >= oldest {
			return late, nil
		}
	}
}

// replayPage reads a page of the stream's list, as the viewer sees it.
func (r *subscriptionResolver) replayPage(
	ctx context.Context, s *stream, w loaders.Range,
) (candidates[tables.Twit], error) {
	ctx, cancel := context.WithTimeout(ctx, replayTimeout)
	defer cancel()
	ctx, end := freshTask(ctx, r.Fresh)
	defer end()
	pageKeys := []loaders.PageKey{{Owner: s.owner, Range: w}}
	var found []candidates[tables.Twit]
	var err error
	if s.kind == live.Timeline {
		found, err = timelineSource{}.read(ctx, pageKeys)
	} else {
		found, err = userTwits.listed.read(ctx, pageKeys)
	}
	return found[0], loaders.At(err, 0)
}

// freshTask returns a context with new loaders, and registers the caller as a task until end is
// called.
func freshTask(ctx context.Context, fresh func(context.Context) context.Context) (_ context.Context, end func()) {
	ctx = fresh(ctx)
	tasks := loaders.TasksOf(ctx)
	tasks.Start(1)
	return ctx, tasks.End
}

// Visible returns [live.Options].Visible. It checks candidates, and the existence of their authors,
// in one round. Twits of an earlier poll take one more, because they may be deleted. fresh is
// [Resolver].Fresh.
func Visible(
	fresh func(context.Context) context.Context,
) func(context.Context, []live.Candidate) ([]*tables.Twit, []error) {
	return func(ctx context.Context, all []live.Candidate) ([]*tables.Twit, []error) {
		if len(all) == 0 {
			return nil, nil
		}
		ctx, end := freshTask(ctx, fresh)
		defer end()
		var delivered, posts []live.Candidate // of timelines, and of authors' lists
		var deliveredAt, postsAt []int
		for i, c := range all {
			if c.Kind == live.Timeline {
				delivered, deliveredAt = append(delivered, c), append(deliveredAt, i)
			} else {
				posts, postsAt = append(posts, c), append(postsAt, i)
			}
		}
		twits, errs := make([]*tables.Twit, len(all)), make(loaders.Errors, len(all))
		loaders.Together(ctx, func() {
			visible, err := visibleDelivered(ctx, delivered)
			scatter(twits, errs, deliveredAt, visible, err)
		}, func() {
			visible, err := visiblePosts(ctx, posts)
			scatter(twits, errs, postsAt, visible, err)
		})
		if loaders.Join(len(all), errs) == nil {
			return twits, nil
		}
		return twits, errs
	}
}

// visibleDelivered checks follows only: followers may see all twits.
func visibleDelivered(ctx context.Context, all []live.Candidate) ([]*tables.Twit, error) {
	owners, keys := make([]string, len(all)), make([]tables.TwitKey, len(all))
	for i, c := range all {
		owners[i], keys[i] = c.Owner, c.Key
	}
	return followedTwits(ctx, owners, keys)
}

func visiblePosts(ctx context.Context, all []live.Candidate) ([]*tables.Twit, error) {
	twits, errs, authors := make([]*tables.Twit, len(all)), make(loaders.Errors, len(all)), make([]string, len(all))
	var old []entryKey // read in an earlier poll
	var oldAt []int
	for i, c := range all {
		if twits[i], authors[i] = c.Twit, c.Owner; c.Twit == nil {
			old, oldAt = append(old, entryOf(c.Key)), append(oldAt, i)
		}
	}
	if len(old) > 0 {
		found, err := twitEntries.read(ctx, old)
		scatter(twits, errs, oldAt, found, err)
	}
	awaitAuthors := loaders.Users.Exists.Enqueue(ctx, authors)
	may, mayErr := allowed(ctx, len(all), func(i int) (string, permission.Verdict) {
		viewer := accessOf(all[i].Subscriber)
		return viewer.viewer.Username, viewer.twit(twits[i])
	})
	exist, existErr := awaitAuthors()
	for i := range twits {
		may[i] = may[i] && exist[i]
	}
	hide(twits, may)
	return twits, loaders.Join(len(all), errs, existErr, mayErr)
}
