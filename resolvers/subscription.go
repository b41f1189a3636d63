package resolvers

import (
	"context"
	"errors"
	"time"

	"twibase/graph/apierr"
	"twibase/graph/auth"
	"twibase/graph/plan"
	"twibase/graph/resume"
	"twibase/hbase/tables"
	"twibase/live"
	"twibase/resolvers/permission"
)

var subscriptionTimelineTwitAdded, subscriptionTwitPosted event

// event is a subscription field. Its twit is read before the event is executed.
type event struct{}

func (event) cost(call *costCall) error {
	call.Returns("", call.Set(call.Parents, 1, call.Begin()))
	return nil
}

// TimelineTwitAdded implements [exec.SubscriptionResolver], with the viewer's timeline.
func (r *subscriptionResolver) TimelineTwitAdded(ctx context.Context, after *tables.ID) (<-chan *tables.Twit, error) {
	viewer, err := authorizeNow(r.Fresh(ctx), permission.Subscribe, permission.Target{})
	if err != nil {
		return nil, err
	}
	return r.subscribe(ctx, live.Timeline, viewer, after)
}

// TwitPosted implements [exec.SubscriptionResolver].
func (r *subscriptionResolver) TwitPosted(
	ctx context.Context, username string, after *tables.ID,
) (<-chan *tables.Twit, error) {
	return r.subscribe(ctx, live.Posts, username, after)
}

// subscribe returns a channel of the visible twits that arrive in a list, preceded by those later
// than after.
func (r *subscriptionResolver) subscribe(
	ctx context.Context, kind live.Kind, owner string, after *tables.ID,
) (<-chan *tables.Twit, error) {
	var since *tables.TwitKey
	if after != nil {
		key, err := tables.ParseTwitKey(after.Key)
		if err != nil || after.Noun != tables.NounTwit {
			return nil, apierr.BadUserInput("after is not the id of a twit")
		}
		since = &key
	}
	operation := resume.Of(ctx)
	if tables.CheckUsername(owner) != nil {
		return noEvents(ctx, operation), nil
	}
	s, err := r.newStream(ctx, operation, kind, owner)
	if err != nil {
		return nil, subscriptionError(err)
	}
	if s.resumed {
		since = nil // the resumed stream has sent later twits
	}
	events := make(chan *tables.Twit)
	go func() {
		defer close(events)
		switch err := r.run(ctx, s, since, operation.Expiry(), events); {
		case errors.Is(err, live.ErrSuspended):
			operation.Expire(s)
		case ctx.Err() != nil:
			s.Suspend()
			operation.Stop(s)
		default:
			s.Close()
			if err != nil {
				plan.End(ctx, subscriptionError(err))
			}
		}
	}()
	return events, nil
}

// noEvents returns a channel without events, for a name that no user can have. It is closed when
// the subscriber leaves.
func noEvents(ctx context.Context, operation *resume.Operation) <-chan *tables.Twit {
	events := make(chan *tables.Twit)
	go func() {
		defer close(events)
		select {
		case <-ctx.Done():
		case <-operation.Expiry():
			operation.Expire(nil)
		}
	}()
	return events
}

func subscriptionError(err error) error {
	switch {
	case errors.Is(err, live.ErrSlow):
		return &apierr.Error{Code: apierr.CodeLimitExceeded, Extensions: map[string]any{"limit": live.QueueSize},
			Message: "too many twits were waiting to be read; subscribe again, after the last one that you have"}
	case errors.Is(err, live.ErrEnded):
		return apierr.Unavailable(nil)
	}
	return err
}

// stream is a subscription to a list, and its progress.
type stream struct {
	*live.Subscription
	kind  live.Kind
	owner string
	begun time.Time
	// replayed are twits that replay sent and that the subscription may deliver again; nil when that
	// is no longer possible.
	replayed map[tables.TwitKey]bool
	// an earlier operation had the subscription
	resumed bool
	// taken are the first twits, two at most, that this operation received: one that the endpoint
	// sends, and the next.
	taken []tables.TwitKey
}

var _ resume.Position = (*stream)(nil)

func (r *subscriptionResolver) newStream(
	ctx context.Context, operation *resume.Operation, kind live.Kind, owner string,
) (*stream, error) {
	until, _ := auth.ExpiryOf(ctx)
	if s, ok := operation.Resume().(*stream); ok {
		if err := s.Subscription.Resume(ctx, until); err != nil {
			s.Close()
			return nil, err
		}
		s.resumed, s.taken = true, nil
		return s, nil
	}
	s, err := r.Live.Subscribe(ctx, kind, owner, until)
	if err != nil {
		return nil, err
	}
	return &stream{Subscription: s, kind: kind, owner: owner, begun: time.Now(), replayed: map[tables.TwitKey]bool{}}, nil
}

// MoveTo implements [resume.Position].
func (s *stream) MoveTo(earlier resume.Position) {
	own, e := s.Subscription, earlier.(*stream)
	own.MoveTo(e.Subscription)
	*s = *e
	s.Subscription = own
}

// Rewind implements [resume.Position].
func (s *stream) Rewind() { s.Subscription.Rewind(s.taken) }

// run sends each twit once, after a replay, until ctx or the subscription ends. When expiry fires,
// it suspends the subscription, sends the twits that are queued, and returns [live.ErrSuspended].
func (r *subscriptionResolver) run(
	ctx context.Context, s *stream, after *tables.TwitKey, expiry <-chan struct{}, events chan<- *tables.Twit,
) error {
	send := func(t *tables.Twit) error {
		select {
		case events <- t:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if after != nil {
		if err := r.replay(ctx, s, *after, send); err != nil {
			return err
		}
	}
	for {
		select {
		case t, open := <-s.Twits():
			if !open {
				return s.Err()
			}
			if s.replayed[t.Key()] {
				continue
			}
			if time.Since(s.begun) > live.Window {
				s.replayed = nil // no twit of the replay can arrive any more
			}
			if len(s.taken) < 2 {
				s.taken = append(s.taken, t.Key())
			}
			if err := send(t); err != nil {
				return err
			}
		case <-expiry:
			s.Suspend()
			expiry = nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
