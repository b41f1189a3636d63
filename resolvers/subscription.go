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

var subscriptionTimelineTwitAdded, subscriptionTwitPosted, subscriptionCommentAdded subscriptionField

// subscriptionField declares no reads, because an entry is read before its event is executed.
type subscriptionField struct{}

func (subscriptionField) cost(call *costCall) error {
	call.Returns("", call.Set(call.Parents, 1, call.Begin()))
	return nil
}

func (r *subscriptionResolver) TimelineTwitAdded(ctx context.Context, after *tables.ID) (<-chan *tables.Twit, error) {
	viewer, err := authorizeNow(r.WithLoaders(ctx), permission.Subscribe, permission.Target{})
	if err != nil {
		return nil, err
	}
	since, err := afterTwit(after)
	if err != nil {
		return nil, err
	}
	return subscribe(ctx, r, timelineEvents, viewer, since)
}

func (r *subscriptionResolver) TwitPosted(
	ctx context.Context, username string, after *tables.ID,
) (<-chan *tables.Twit, error) {
	since, err := afterTwit(after)
	if err != nil {
		return nil, err
	}
	if tables.CheckUsername(username) != nil {
		username = nobody
	}
	return subscribe(ctx, r, postEvents, username, since)
}

func afterTwit(after *tables.ID) (*live.Key, error) {
	if after == nil {
		return nil, nil
	}
	key, err := tables.ParseTwitKey(after.Key)
	if err != nil || after.Noun != tables.NounTwit {
		return nil, apierr.BadUserInput("after is not the id of a twit")
	}
	return &live.Key{Owner: key.Author, Position: key.Position}, nil
}

func (r *subscriptionResolver) CommentAdded(
	ctx context.Context, twitID tables.ID, after *tables.ID,
) (<-chan *tables.Comment, error) {
	var since *live.Key
	if after != nil {
		key, err := tables.ParseCommentKey(after.Key)
		if err != nil || after.Noun != tables.NounComment || key.Twit.String() != twitID.Key {
			return nil, apierr.BadUserInput("after is not the id of a comment on this twit")
		}
		since = &live.Key{Owner: twitID.Key, Position: key.Position}
	}
	if twitID.Noun != tables.NounTwit {
		twitID.Key = nobody
	}
	return subscribe(ctx, r, commentEvents, twitID.Key, since)
}

// nobody owns no list. It replaces owners that cannot exist, which may be too long for a row.
const nobody = ""

// subscribe returns the visible entries of an owner's list as they arrive. If after is not nil, the
// entries that arrived after the entry with this key come first. Package resume explains when
// another operation resumes a subscription.
func subscribe[T any](
	ctx context.Context, r *subscriptionResolver, from eventSource[T], owner string, after *live.Key,
) (<-chan *T, error) {
	operation := resume.Of(ctx)
	s, err := r.newStream(ctx, operation, from.kind, owner)
	if err != nil {
		return nil, subscriptionError(err)
	}
	if s.resumed {
		after = nil // the resumed stream has sent later entries
	}
	if from.expired(after) {
		s.Close()
		return nil, apierr.CursorExpired(from.kept)
	}
	events := make(chan *T)
	go func() {
		defer close(events)
		switch err := run(ctx, r, from, s, after, operation.Expiry(), events); {
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

func subscriptionError(err error) error {
	switch {
	case errors.Is(err, live.ErrSlow):
		return &apierr.Error{Code: apierr.CodeLimitExceeded, Extensions: map[string]any{"limit": live.QueueSize},
			Message: "too many events were waiting to be read; subscribe again, after the last one that you have"}
	case errors.Is(err, live.ErrTooManyRows):
		return apierr.TooMany("the number of lists that have subscribers on this server", live.MaxRows, time.Second)
	case errors.Is(err, live.ErrEnded):
		return apierr.Unavailable(nil)
	}
	return err
}

type stream struct {
	*live.Subscription
	owner string
	begun time.Time
	// replayed has the replayed entries that the subscription may deliver again, nil when that is
	// no longer possible.
	replayed map[live.Key]bool
	resumed  bool // an earlier operation started the subscription
	// taken has the first two entries that this operation took. If no event was sent to the client,
	// Rewind gives them back to the subscription. Two are enough: the endpoint then has at most the
	// first, and run is blocked on sending the second.
	taken []live.Key
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
	s, err := r.Live.Subscribe(ctx, auth.AddressOf(ctx), kind, owner, until)
	if err != nil {
		return nil, err
	}
	return &stream{Subscription: s, owner: owner, begun: time.Now(), replayed: map[live.Key]bool{}}, nil
}

func (s *stream) MoveTo(earlier resume.Position) {
	own, e := s.Subscription, earlier.(*stream)
	own.MoveTo(e.Subscription)
	*s = *e
	s.Subscription = own
}

func (s *stream) Rewind() { s.Subscription.Rewind(s.taken) }

// run replays entries, and then sends each entry once. When expiry fires, run suspends the
// subscription, sends the queued entries, and returns [live.ErrSuspended].
func run[T any](
	ctx context.Context, r *subscriptionResolver, from eventSource[T], s *stream, after *live.Key,
	expiry <-chan struct{}, events chan<- *T,
) error {
	send := func(entry *T) error {
		select {
		case events <- entry:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if after != nil {
		if err := replay(ctx, r, from, s, *after, send); err != nil {
			return err
		}
	}
	for {
		select {
		case e, open := <-s.Events():
			if !open {
				return s.Err()
			}
			if s.replayed[e.Key] {
				e.Release()
				continue
			}
			if time.Since(s.begun) > live.MaxReordering {
				s.replayed = nil
			}
			if len(s.taken) < 2 {
				s.taken = append(s.taken, e.Key)
			}
			err := send(e.Entry.(*T))
			if e.Release(); err != nil {
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
