package e2e

import (
	"fmt"
	"testing"

	"twibase/hbase/hbasetest/minihbase"
	"twibase/hbase/tables"
)

func TestSubscribersReconnectBetweenGatewaysOverHBase(t *testing.T) {
	minihbase.Slow(t)
	store := onHBase(t)
	for _, table := range tables.Definitions(1) {
		if err := store.CreateTable(t.Context(), table); err != nil {
			t.Fatal(err)
		}
	}
	s := liveGatewaysOver(t, store, 2, 0, "a", "fan")
	s[0].mutate(t, "fan", `follow(input:{username:"a"}){userErrors{code}}`)
	for n, field := range []string{"timelineTwitAdded(after:%q)", `twitPosted(username:"a",after:%q)`} {
		last := s[0].postTwit(t, "a", fmt.Sprint("first ", n))
		l := s[1].subscribe(t, "fan", fmt.Sprintf(field, last))
		missing := map[string]bool{}
		posts := func(at *liveGateway, content string) {
			missing[content] = true
			at.postTwit(t, "a", content)
		}
		for i := range 6 { // each time one twit is posted while disconnected, and one while connected
			l.socket.CloseNow()
			posts(s[i%2], fmt.Sprint("disconnected ", n, i))
			l = s[i%2].subscribe(t, "fan", fmt.Sprintf(field, last))
			posts(s[1-i%2], fmt.Sprint("connected ", n, i))
			for len(missing) > 0 {
				var content string
				last, content = l.next()
				delete(missing, content)
			}
		}
		l.socket.CloseNow()
	}
	twit := s[0].postTwit(t, "a", "commented")
	comments := s[1].subscribe(t, "a", fmt.Sprintf("commentAdded(twitId:%q)", twit))
	changes := s[1].subscribeFor(t, "a", "followerChanged", followerChange)
	const deletions = `twitDeleted(username:"a"%s)`
	deleted := s[1].subscribeFor(t, "fan", fmt.Sprintf(deletions, ""), deletion)
	s[0].addComment(t, "fan", twit, "a comment")
	comments.expect("a comment")
	s[0].deleteTwit(t, "a", twit)
	last := deleted.expectDeletions(twit)
	moment := s[0].postMoment(t, "a", "for followers")
	s[0].deleteTwit(t, "a", moment)
	s[1].subscribeFor(t, "fan", fmt.Sprintf(deletions, fmt.Sprintf(",after:%q", last)), deletion).expectDeletions(moment)
	s[0].unfollow(t, "fan", "a")
	changes.expectChanges("-fan 0")
}
