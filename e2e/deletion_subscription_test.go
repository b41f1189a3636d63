package e2e

import (
	"encoding/base64"
	"fmt"
	"testing"
	"time"

	"twibase/e2e/oracle"
	"twibase/hbase"
	"twibase/hbase/tables"
)

func (s *liveGateway) subscribeFor(t *testing.T, username, field, selection string) subscriber {
	t.Helper()
	return s.subscribeTo(t, username, "subscription{t:"+field+selection+"}")
}

const deletion = `{deletedId cursor author{username twitCount}}`

func (s *liveGateway) deleteTwit(t *testing.T, username, id string) {
	t.Helper()
	s.mutate(t, username, fmt.Sprintf("deleteTwit(input:{id:%q}){userErrors{code}}", id))
}

func (l subscriber) nextEvent() any {
	l.t.Helper()
	message := l.read()
	event := oracle.Get(message, "payload", "data", "t")
	if event == nil {
		l.t.Fatal(message)
	}
	return event
}

func (l subscriber) expectDeletions(ids ...string) (cursor string) {
	l.t.Helper()
	for _, id := range ids {
		event := l.nextEvent()
		if got := oracle.Get(event, "deletedId"); got != id {
			l.t.Fatalf("got %v, want %s", got, id)
		}
		cursor = oracle.Get(event, "cursor").(string)
	}
	return cursor
}

func TestSubscribersReceiveDeletionsOfOtherGateways(t *testing.T) {
	s := liveGateways(t, 2, 0, "a", "b", "fan", "late")
	s[0].follow(t, "fan", "a")
	public, moment, third := s[0].postTwit(t, "a", "public"), s[0].postMoment(t, "a", "moment"), s[0].postTwit(t, "a", "3")
	last := s[0].postTwit(t, "a", "last")
	others := s[0].postTwit(t, "b", "of another")
	const field = `twitDeleted(username:"a")`
	fan, unauthenticated := s[1].subscribeFor(t, "fan", field, deletion), s[1].subscribeFor(t, "", field, deletion)
	s[0].deleteTwit(t, "b", others)
	s[0].deleteTwit(t, "a", public)
	event := fan.nextEvent()
	if got := fmt.Sprint(oracle.Get(event, "deletedId"), oracle.Get(event, "author", "twitCount")); got != public+"3" {
		t.Errorf("got %s, want the first twit, and 3 twits of the author", got)
	}
	first := oracle.Get(event, "cursor").(string)
	s[1].deleteTwit(t, "a", moment)
	s[0].deleteTwit(t, "a", moment)
	s[0].deleteTwit(t, "a", third)
	fan.expectDeletions(moment, third)
	unauthenticated.expectDeletions(public, third)

	after := fmt.Sprintf(`twitDeleted(username:"a",after:%q)`, first)
	s[1].subscribeFor(t, "fan", after, deletion).expectDeletions(moment, third)
	s[1].subscribeFor(t, "a", after, deletion).expectDeletions(moment, third)
	s[1].subscribeFor(t, "", after, deletion).expectDeletions(third)
	// A new follower does not learn of moments deleted before.
	time.Sleep(5*time.Second + 100*time.Millisecond)
	s[0].follow(t, "late", "a")
	s[1].subscribeFor(t, "late", after, deletion).expectDeletions(third)
	s[0].unfollow(t, "fan", "a")
	s[1].subscribeFor(t, "fan", after, deletion).expectDeletions(third)

	s[0].mutate(t, "a", `deleteUser(input:{username:"a"}){userErrors{code}}`)
	s[1].subscribeFor(t, "", after, deletion).expectNothing(s[1])
	unauthenticated.expectNothing(s[1])
	_ = last // there is no event, because its author is deleted, too
}

func TestOldCursorsOfDeletionsAreRejected(t *testing.T) {
	store := newEmptyGateway(t).store
	s := liveGatewaysOver(t, store, 1, 0, "a")[0]
	cursor := func(age time.Duration) string {
		twit := &tables.Twit{AuthorName: "a", PostedAt: time.UnixMilli(1), Name: "t"}
		d := &tables.TwitDeletion{At: time.Now().Add(-age), Twit: twit.Key(), Visibility: tables.Public}
		if err := hbase.MutateAll(t.Context(), store, []hbase.Mutation{d.Put()}); err != nil {
			t.Fatal(err)
		}
		return base64.RawURLEncoding.EncodeToString([]byte("x" + d.Position()))
	}
	old, kept, newer := cursor(tables.EventsKept+30*time.Minute), cursor(tables.EventsKept-time.Minute), cursor(time.Hour)
	l := s.subscribeFor(t, "", fmt.Sprintf(`twitDeleted(username:"a",after:%q)`, kept), deletion)
	if got := oracle.Get(l.nextEvent(), "cursor"); got != newer {
		t.Errorf("after a cursor that is kept: got %v, want %s", got, newer)
	}
	for value, code := range map[string]string{old: "CURSOR_EXPIRED", "nonsense": "BAD_USER_INPUT"} {
		message := s.subscribeFor(t, "", fmt.Sprintf(`twitDeleted(username:"a",after:%q)`, value), deletion).read()
		errors, _ := oracle.Get(message, "payload").(oracle.List)
		if len(errors) != 1 || oracle.Get(errors[0], "extensions", "code") != code {
			t.Errorf("after %q: got %v, want %s", value, message, code)
		}
	}
}
