package resolvers

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"twibase/graph/apierr"
	"twibase/graph/auth"
	"twibase/graph/exec"
	"twibase/graph/plan"
	"twibase/graph/resume"
	"twibase/hbase/tables"
	"twibase/loaders"
	"twibase/news"
	"twibase/resolvers/permission"
)

// TimelineTwitAdded is the resolver for the timelineTwitAdded field.
func (r *subscriptionResolver) TimelineTwitAdded(ctx context.Context, after *tables.ID) (<-chan *tables.Twit, error) {
	viewer, err := permitted(r.Fresh(ctx), permission.Subscribe, permission.About{})
	if err != nil {
		return nil, err
	}
	return r.listen(ctx, news.Timeline, viewer.Username, after)
}

// TwitPosted is the resolver for the twitPosted field.
func (r *subscriptionResolver) TwitPosted(ctx context.Context, username string, after *tables.ID) (<-chan *tables.Twit, error) {
	return r.listen(ctx, news.Posts, username, after)
}

// listen returns a channel of the twits that come into a row, as far as the viewer may see them: first those after a twit, if there is one.
func (r *subscriptionResolver) listen(ctx context.Context, kind news.Kind, owner string, after *tables.ID) (<-chan *tables.Twit, error) {
	var since *tables.TwitKey
	if after != nil {
		key, err := tables.ParseTwitKey(after.Key)
		if err != nil || after.Noun != tables.NounTwit {
			return nil, apierr.BadUserInput("after is not the id of a twit")
		}
		since = &key
	}
	events := make(chan *tables.Twit)
	operation := resume.Of(ctx)
	if tables.CheckUsername(owner) != nil { // nobody has that name, and nobody ever will
		go func() {
			defer close(events)
			select {
			case <-ctx.Done():
			case <-operation.Expiry():
				operation.Expire(nil)
			}
		}()
		return events, nil
	}
	l, err := r.listener(ctx, operation, kind, owner)
	if err != nil {
		return nil, ended(err)
	}
	if l.resumed {
		since = nil // it was told what came after that
	}
	go func() {
		defer close(events)
		switch err := r.relay(ctx, l, since, operation.Expiry(), events); {
		case errors.Is(err, news.ErrCut):
			operation.Expire(l)
		case ctx.Err() != nil:
			l.Cut()
			operation.Stop(l)
		default:
			l.Close()
			if err != nil {
				plan.End(ctx, ended(err))
			}
		}
	}()
	return events, nil
}

// listener returns the subscription that the operation resumes, or else a new one.
func (r *subscriptionResolver) listener(ctx context.Context, operation *resume.Operation, kind news.Kind, owner string) (*listener, error) {
	var until time.Time
	if operation != nil {
		until, _ = auth.ExpiryOf(ctx)
	}
	if l, ok := operation.Resume().(*listener); ok {
		if err := l.Subscription.Resume(ctx, until); err != nil {
			l.Close()
			return nil, err
		}
		l.resumed, l.taken = true, nil
		return l, nil
	}
	s, err := r.News.Subscribe(ctx, kind, owner, until)
	if err != nil {
		return nil, err
	}
	return &listener{Subscription: s, kind: kind, owner: owner, begun: time.Now(), told: map[tables.TwitKey]bool{}}, nil
}

// ended is what a subscriber is told of the end of a subscription.
func ended(err error) error {
	switch {
	case errors.Is(err, news.ErrSlow):
		return &apierr.Error{Code: apierr.CodeLimitExceeded, Extensions: map[string]any{"limit": news.Backlog},
			Message: "too many twits were waiting to be read; subscribe again, after the last one that you have"}
	case errors.Is(err, news.ErrEnded):
		return apierr.Unavailable(nil)
	}
	return err
}

// listener is who listens to a row.
type listener struct {
	*news.Subscription
	kind  news.Kind
	owner string
	// told are the twits that were replayed since the subscription began, and may come again. They are forgotten when nothing comes that is so old.
	told  map[tables.TwitKey]bool
	begun time.Time
	// resumed says that an earlier operation had the subscription.
	resumed bool
	// taken are the first twits that this operation took from the subscription, at most two: one that
	// the endpoint sends, and the next.
	taken []tables.TwitKey
}

var _ resume.Position = (*listener)(nil)

// Fork implements [resume.Position].
func (l *listener) Fork() resume.Position {
	fork := *l
	fork.Subscription = l.Subscription.Fork()
	return &fork
}

// Rewind implements [resume.Position].
func (l *listener) Rewind() { l.Subscription.Rewind(l.taken) }

// relay sends each twit of the subscription once, until ctx or the subscription ends. When expiry fires it sends the twits from before, and returns
// [news.ErrCut].
func (r *subscriptionResolver) relay(ctx context.Context, l *listener, after *tables.TwitKey, expiry <-chan struct{}, events chan<- *tables.Twit) error {
	tell := func(t *tables.Twit) error {
		select {
		case events <- t:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if after != nil {
		err := r.replay(ctx, l, *after, func(t *tables.Twit) error {
			if l.begun.Sub(t.PostedAt) <= news.Window {
				l.told[t.Key()] = true
			}
			return tell(t)
		})
		if err != nil {
			return err
		}
	}
	for {
		select {
		case t, open := <-l.Twits():
			if !open {
				return l.Err()
			}
			if l.told[t.Key()] {
				continue
			}
			if time.Since(l.begun) > news.Window {
				l.told = nil // nothing comes that is so old
			}
			if len(l.taken) < 2 {
				l.taken = append(l.taken, t.Key())
			}
			if err := tell(t); err != nil {
				return err
			}
		case <-expiry:
			l.Cut()
			expiry = nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// replayed is how many twits are read together of those that a subscriber has missed.
const replayed = 100

// replay tells what had come after a twit when the subscriber joined, the oldest first: also what is older by its time and may have come later all
// the same. In the order of time nothing older is left out when it breaks off; what came since the subscriber joined is told behind it, for it may
// have come before what replay would tell.
func (r *subscriptionResolver) replay(ctx context.Context, l *listener, after tables.TwitKey, tell func(*tables.Twit) error) error {
	position := after.Position
	if l.kind == news.Timeline {
		position = tables.Timelines.Position(after)
	}
	late, err := r.late(ctx, l, after, position)
	if err != nil {
		return err
	}
	for _, t := range late {
		if err := tell(t); err != nil {
			return err
		}
	}
	for before := position; ; {
		page, err := r.page(ctx, l, loaders.Window{Before: before, Limit: replayed, Backward: true})
		if err != nil {
			return err
		}
		for _, t := range slices.Backward(page.Members) {
			if t == nil || l.Comes(t) {
				continue
			}
			if err := tell(t); err != nil {
				return err
			}
		}
		if !page.HasPrevious || len(page.Positions) == 0 {
			return nil
		}
		before = page.Positions[0]
	}
}

// late returns what is older than a twit and may have come later, the oldest first.
func (r *subscriptionResolver) late(ctx context.Context, l *listener, than tables.TwitKey, position string) (late []*tables.Twit, err error) {
	at, _, err := than.Parts()
	if err != nil {
		return nil, err
	}
	for more := true; more; {
		page, err := r.page(ctx, l, loaders.Window{After: position, Limit: replayed})
		if err != nil {
			return nil, err
		}
		for _, t := range page.Members {
			if t != nil && l.Late(t.Key(), than) && !l.Comes(t) {
				late = append(late, t)
			}
		}
		if more = page.HasNext && len(page.Positions) > 0; more {
			position = page.Positions[len(page.Positions)-1]
			more = position < tables.LaterThan(at.Add(-news.Window))
		}
	}
	slices.Reverse(late)
	return late, nil
}

// page reads a part of the row, as the viewer sees it.
func (r *subscriptionResolver) page(ctx context.Context, l *listener, w loaders.Window) (candidates[tables.Twit], error) {
	ctx, cancel := context.WithTimeout(ctx, pageTimeout)
	defer cancel()
	ctx = r.Fresh(ctx)
	spans := []loaders.Span{{Owner: l.owner, Window: w}}
	var found []candidates[tables.Twit]
	var err error
	if l.kind == news.Timeline {
		found, err = withBroadcasts(ctx, spans)
	} else {
		found, err = postsIn(ctx, loaders.Twits, spans)
	}
	return found[0], loaders.At(err, 0)
}

// pageTimeout bounds each read of what was missed.
const pageTimeout = 30 * time.Second

// See answers which twits subscribers see, in one round for all of them, also whether the authors are still there: see [news.Options]. fresh is
// as [Resolver].Fresh.
func See(fresh func(ctx context.Context) context.Context) func(ctx context.Context, sights []news.Sight) ([]*tables.Twit, []error) {
	return func(ctx context.Context, sights []news.Sight) ([]*tables.Twit, []error) {
		if len(sights) == 0 {
			return nil, nil
		}
		ctx = fresh(ctx)
		twits, errs := reread(ctx, sights)
		var entries, posts []int // in timelines, and in the lists of their authors
		var owners, authors []string
		var places []tables.TwitKey
		for i, s := range sights {
			if s.Kind == news.Timeline {
				entries, owners, places = append(entries, i), append(owners, s.Owner), append(places, s.Key)
			} else {
				posts, authors = append(posts, i), append(authors, s.Owner)
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
				may, mayErr = allowed(ctx, len(sights), func(i int) (string, permission.Verdict) {
					if sights[i].Kind == news.Timeline || twits[i] == nil { // whoever follows may see all
						return "", nothing
					}
					viewer := sightsOf(sights[i].Subscriber)
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
		for i := range sights {
			if !may[i] {
				twits[i] = nil
			}
		}
		if err := loaders.Join(len(sights), errs, mayErr); err != nil {
			return twits, err.(loaders.Errors)
		}
		return twits, nil
	}
}

// reread returns the twits that are in the sights of posts. Those that were read a while ago are read again, a round of its own: they may be gone.
func reread(ctx context.Context, sights []news.Sight) ([]*tables.Twit, loaders.Errors) {
	twits, errs := make([]*tables.Twit, len(sights)), make(loaders.Errors, len(sights))
	var old []int
	var places []tables.TwitKey
	for i, s := range sights {
		if twits[i] = s.Twit; s.Twit == nil && s.Kind == news.Posts {
			old, places = append(old, i), append(places, s.Key)
		}
	}
	if len(old) == 0 {
		return twits, errs
	}
	found, err := twitsAt(ctx, places)
	for j, i := range old {
		twits[i], errs[i] = found[j], loaders.At(err, j)
	}
	return twits, errs
}

// Subscription returns exec.SubscriptionResolver implementation.
func (r *Resolver) Subscription() exec.SubscriptionResolver { return &subscriptionResolver{r} }

type subscriptionResolver struct{ *Resolver }
