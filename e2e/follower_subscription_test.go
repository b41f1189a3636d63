package e2e

import (
	"encoding/base64"
	"fmt"
	"testing"
	"time"

	"twibase/e2e/oracle"
	"twibase/graph/relay"
	"twibase/hbase"
	"twibase/hbase/tables"
)

const followerChange = `{added followerId cursor follower{username name} viewer{username followerCount}}`

// "+fan 1" means that fan follows, and the viewer then has one follower. A deleted follower has
// only an id.
func (l subscriber) expectChanges(changes ...string) (cursor string) {
	l.t.Helper()
	for _, want := range changes {
		event := l.nextEvent()
		id, err := relay.UnmarshalID(oracle.Get(event, "followerId"))
		if err != nil {
			l.t.Fatal(err)
		}
		got := map[bool]string{true: "+", false: "-"}[oracle.Get(event, "added").(bool)] + id.Key
		if follower := oracle.Get(event, "follower", "username"); follower != id.Key {
			got += fmt.Sprintf(" (%v)", follower)
		}
		got += fmt.Sprint(" ", oracle.Get(event, "viewer", "followerCount"))
		if got != want {
			l.t.Fatalf("got %q, want %q", got, want)
		}
		cursor = oracle.Get(event, "cursor").(string)
	}
	return cursor
}

func TestViewersReceiveChangesOfTheirFollowers(t *testing.T) {
	s := liveGateways(t, 2, 0, "a", "b", "c", "d", "other")
	a, other := s[1].subscribeFor(t, "a", "followerChanged", followerChange),
		s[1].subscribeFor(t, "other", "followerChanged", followerChange)
	s[0].follow(t, "b", "a")
	first := a.expectChanges("+b 1")
	s[1].follow(t, "c", "a")
	a.expectChanges("+c 2")
	s[0].follow(t, "c", "a")
	s[0].follow(t, "a", "b")
	s[0].unfollow(t, "b", "a")
	a.expectChanges("-b 1")
	s[1].follow(t, "b", "a")
	a.expectChanges("+b 2")
	s[0].mutate(t, "c", `deleteUser(input:{username:"c"}){userErrors{code}}`)
	a.expectChanges("-c (<nil>) 1")
	// The event has the viewer's count at its delivery.
	again := s[0].subscribeFor(t, "a", fmt.Sprintf("followerChanged(after:%q)", first), followerChange)
	last := again.expectChanges("+c (<nil>) 1", "-b 1", "+b 1", "-c (<nil>) 1")
	s[0].follow(t, "d", "a")
	for _, l := range []subscriber{a, again} {
		l.expectChanges("+d 2")
	}
	s[1].subscribeFor(t, "b", fmt.Sprintf("followerChanged(after:%q)", last), followerChange).expectChanges("+a 1")
	other.expectNothing(s[1])
}

func TestChangesOfFollowersAreRejected(t *testing.T) {
	store := newEmptyGateway(t).store
	s := liveGatewaysOver(t, store, 1, 0, "a", "b")[0]
	old := &tables.FollowerChange{At: time.Now().Add(-tables.EventsKept - time.Minute), Followed: "a", Follower: "b"}
	if err := hbase.MutateAll(t.Context(), store, []hbase.Mutation{old.Put()}); err != nil {
		t.Fatal(err)
	}
	expired := base64.RawURLEncoding.EncodeToString([]byte("w" + old.Position()))
	for _, test := range []struct{ viewer, after, code string }{
		{"", "", "UNAUTHENTICATED"},
		{"a", expired, "CURSOR_EXPIRED"},
		{"a", base64.RawURLEncoding.EncodeToString([]byte("x" + old.Position())), "BAD_USER_INPUT"},
	} {
		field := "followerChanged"
		if test.after != "" {
			field += fmt.Sprintf("(after:%q)", test.after)
		}
		message := s.subscribeFor(t, test.viewer, field, followerChange).read()
		errors, _ := oracle.Get(message, "payload").(oracle.List)
		if len(errors) != 1 || oracle.Get(errors[0], "extensions", "code") != test.code {
			t.Errorf("%s by %q: got %v, want %s", field, test.viewer, message, test.code)
		}
	}
}
