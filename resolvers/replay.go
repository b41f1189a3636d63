package resolvers

import (
	"cmp"
	"context"
	"slices"
	"time"

	"twibase/hbase/tables"
	"twibase/live"
	"twibase/loaders"
	"twibase/resolvers/permission"
)

const (
	// replayPage is how many twits a replay reads together.
	replayPage = 100
	// replayTimeout bounds each of these reads.
	replayTimeout = 30 * time.Second
)

// replay sends what arrived between a twit and the start of the subscription. First, the twits that are older by their time and may have arrived
// later all the same; then the younger ones, the oldest first. So if a replay breaks off, the client has everything before the last twit that it
// received. What the subscription delivers itself is left to it: it may have arrived before what replay still has to send.
func (r *subscriptionResolver) replay(ctx context.Context, s *stream, after tables.TwitKey, send func(*tables.Twit) error) error {
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

// lateTwits returns the twits that are older than the received one and may have arrived later, the newest first.
func (r *subscriptionResolver) lateTwits(ctx context.Context, s *stream, received tables.TwitKey, position string) (late []*tables.Twit, err error) {
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

// replayPage reads a page of the row, as the viewer sees it.
func (r *subscriptionResolver) replayPage(ctx context.Context, s *stream, w loaders.Range) (candidates[tables.Twit], error) {
	ctx, cancel := context.WithTimeout(ctx, replayTimeout)
	defer cancel()
	ctx = r.Fresh(ctx)
	tasks := loaders.TasksOf(ctx)
	tasks.Start(1)
	defer tasks.End()
	spans := []loaders.PageKey{{Owner: s.owner, Range: w}}
	var found []candidates[tables.Twit]
	var err error
	if s.kind == live.Timeline {
		found, err = timelineSource{}.read(ctx, spans)
	} else {
		found, err = postSource{list: loaders.Twits}.read(ctx, spans)
	}
	return found[0], loaders.At(err, 0)
}

// Visible returns the function that says which twits subscribers may see: see [live.Options]. It asks for all of them in one round, also whether
// their authors still exist. fresh is as [Resolver].Fresh.
func Visible(fresh func(ctx context.Context) context.Context) func(ctx context.Context, all []live.Candidate) ([]*tables.Twit, []error) {
	return func(ctx context.Context, all []live.Candidate) ([]*tables.Twit, []error) {
		if len(all) == 0 {
			return nil, nil
		}
		ctx = fresh(ctx)
		tasks := loaders.TasksOf(ctx)
		tasks.Start(1)
		defer tasks.End()
		twits, errs := postsOf(ctx, all)
		var entries, posts []int // the indexes of the candidates of timelines, and of the others
		var owners, authors []string
		var places []tables.TwitKey
		for i, c := range all {
			if c.Kind == live.Timeline {
				entries, owners, places = append(entries, i), append(owners, c.Owner), append(places, c.Key)
			} else {
				posts, authors = append(posts, i), append(authors, c.Owner)
			}
		}
		exist := loaders.Users.Exists.Ask(ctx, authors)
		var followed []*tables.Twit
		var followErr error
		var may []bool
		var mayErr error
		loaders.Together(ctx,
			func() { followed, followErr = followedTwits(ctx, owners, places) },
			func() {
				may, mayErr = allowed(ctx, len(all), func(i int) (string, permission.Verdict) {
					if all[i].Kind == live.Timeline || twits[i] == nil { // followers may see all twits
						return "", permitted
					}
					viewer := accessOf(all[i].Subscriber)
					return viewer.viewer.Username, viewer.twit(twits[i])
				})
			})
		for j, i := range entries {
			twits[i], errs[i] = followed[j], loaders.At(followErr, j)
		}
		there, thereErr := exist()
		for j, i := range posts {
			may[i], errs[i] = may[i] && there[j], cmp.Or(errs[i], loaders.At(thereErr, j))
		}
		for i := range all {
			if !may[i] {
				twits[i] = nil
			}
		}
		if err := loaders.Join(len(all), errs, mayErr); err != nil {
			return twits, err.(loaders.Errors)
		}
		return twits, nil
	}
}

// postsOf returns the twits of the candidates of authors' rows. Those that were read in an earlier poll may be deleted: it reads them again, in a
// round of its own.
func postsOf(ctx context.Context, all []live.Candidate) ([]*tables.Twit, loaders.Errors) {
	twits, errs := make([]*tables.Twit, len(all)), make(loaders.Errors, len(all))
	var old []int
	var keys []entryKey
	for i, c := range all {
		if twits[i] = c.Twit; c.Twit == nil && c.Kind == live.Posts {
			old, keys = append(old, i), append(keys, entryOf(c.Key))
		}
	}
	if len(old) == 0 {
		return twits, errs
	}
	found, err := twitEntries.read(ctx, keys)
	for j, i := range old {
		twits[i], errs[i] = found[j], loaders.At(err, j)
	}
	return twits, errs
}
