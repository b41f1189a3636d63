package resolvers

import (
	"context"
	"errors"
	"maps"
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
		username = noOwner
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
		twitID.Key = noOwner
	}
	return subscribe(ctx, r, commentEvents, twitID.Key, since)
}

// noOwner owns no list. It replaces owners that cannot exist, which may be too long for a row.
const noOwner = ""

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
		err := run(ctx, r, from, s, after, operation.Expiry(), events)
		if s.current && (errors.Is(err, live.ErrSuspended) || ctx.Err() != nil) {
			s.Suspend()
			operation.Stop(s)
			return
		}
		s.Close()
		if err != nil && ctx.Err() == nil {
			plan.End(ctx, subscriptionError(err))
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
	// replayed has the replayed entries that the subscription may deliver again, with false if
	// Rewind gave them back. It is nil when that is no longer possible.
	replayed map[live.Key]bool
	resumed  bool // an earlier operation started the subscription
	current  bool // the replay is complete
	taken    int  // entries that this operation took to send
	// last has the last two of them, which Rewind gives back if they are unsent. At most two are:
	// one in the endpoint, and one that run is sending.
	last []live.Key
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
		s.resumed, s.taken, s.last = true, 0, nil
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
	s.Subscription, s.replayed = own, maps.Clone(e.replayed)
}

func (s *stream) Rewind(sent int) {
	unsent := s.last[len(s.last)-min(s.taken-sent, len(s.last)):]
	for _, key := range unsent {
		if s.replayed[key] {
			s.replayed[key] = false
		}
	}
	s.Subscription.Rewind(unsent)
}

// run replays entries, and then sends each entry once. When expiry fires, run suspends the
// subscription, sends the queued entries, and returns [live.ErrSuspended].
func run[T any](
	ctx context.Context, r *subscriptionResolver, from eventSource[T], s *stream, after *live.Key,
	expiry <-chan struct{}, events chan<- *T,
) error {
	send := func(entry *T) error {
		s.taken, s.last = s.taken+1, append(s.last, from.key(entry))
		s.last = s.last[max(0, len(s.last)-2):]
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
	s.current = true
	for {
		select {
		case e, open := <-s.Events():
			if !open {
				return s.Err()
			}
			switch sent, replayed := s.replayed[e.Key]; {
			case sent:
				e.Release()
				continue
			case replayed: // a poll may also deliver what Rewind gave back
				s.replayed[e.Key] = true
			}
			if time.Since(s.begun) > live.MaxReordering {
				s.replayed = nil
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
