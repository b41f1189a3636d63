package e2e

import (
	"fmt"
	"testing"
	"time"

	"twibase/e2e/oracle"
)

// addComment waits for the next millisecond, so that the order of comments is defined.
func (s *liveGateway) addComment(t *testing.T, username, twit, content string) string {
	t.Helper()
	time.Sleep(2 * time.Millisecond)
	return oracle.Get(s.mutate(t, username, fmt.Sprintf(
		`addComment(input:{twitId:%q,content:%q}){comment{id} userErrors{code}}`, twit, content)), "comment", "id").(string)
}

func (s *liveGateway) postMoment(t *testing.T, username, content string) string {
	t.Helper()
	time.Sleep(2 * time.Millisecond)
	return oracle.Get(s.mutate(t, username, fmt.Sprintf(
		`postTwit(input:{content:%q,visibility:FOLLOWERS}){twit{id} userErrors{code}}`, content)), "twit", "id").(string)
}

func (s *liveGateway) follow(t *testing.T, username, followed string) {
	t.Helper()
	s.mutate(t, username, fmt.Sprintf(`follow(input:{username:%q}){userErrors{code}}`, followed))
}

func (s *liveGateway) unfollow(t *testing.T, username, followed string) {
	t.Helper()
	s.mutate(t, username, fmt.Sprintf(`unfollow(input:{username:%q}){userErrors{code}}`, followed))
}

func TestSubscribersReceiveCommentsOfOtherGateways(t *testing.T) {
	s := liveGateways(t, 2, 0, "a", "b", "c", "fan")
	twit, other := s[0].postTwit(t, "a", "a twit"), s[0].postTwit(t, "a", "another")
	s[0].follow(t, "fan", "b")
	field := fmt.Sprintf("commentAdded(twitId:%q)", twit)
	author, fan := s[1].subscribe(t, "a", field), s[1].subscribe(t, "fan", field)
	unauthenticated := s[1].subscribe(t, "", field)
	s[0].addComment(t, "b", other, "on another twit")
	first := s[0].addComment(t, "b", twit, "by b")
	s[1].addComment(t, "c", twit, "by c")
	s[0].addComment(t, "fan", twit, "own")
	author.expect("by b", "by c", "own")
	fan.expect("by b", "own")
	s[1].subscribe(t, "a", fmt.Sprintf("commentAdded(twitId:%q,after:%q)", twit, first)).expect("by c", "own")

	s[0].unfollow(t, "fan", "b")
	s[0].addComment(t, "b", twit, "no longer followed")
	s[0].follow(t, "fan", "c")
	s[0].addComment(t, "c", twit, "now followed")
	author.expect("no longer followed", "now followed")
	fan.expect("now followed")
	unauthenticated.expectNothing(s[1])
}

func TestCommentsOnHiddenTwitsAreNotDelivered(t *testing.T) {
	s := liveGateways(t, 2, 0, "a", "b", "fan", "other")
	moment := s[0].postMoment(t, "a", "for followers")
	s[0].follow(t, "b", "a")
	for _, viewer := range []string{"fan", "other"} {
		s[0].follow(t, viewer, "b")
	}
	s[0].follow(t, "fan", "a")
	field := fmt.Sprintf("commentAdded(twitId:%q)", moment)
	first := s[0].addComment(t, "b", moment, "first")
	replayed := fmt.Sprintf("commentAdded(twitId:%q,after:%q)", moment, first)
	fan, other := s[1].subscribe(t, "fan", field), s[1].subscribe(t, "other", field)
	s[0].addComment(t, "b", moment, "second")
	fan.expect("second")
	s[1].subscribe(t, "fan", replayed).expect("second")
	hidden := s[1].subscribe(t, "other", replayed)
	s[0].unfollow(t, "fan", "a")
	s[0].addComment(t, "b", moment, "third")
	for _, l := range []subscriber{fan, other, hidden} {
		l.expectNothing(s[1])
	}
	s[0].mutate(t, "a", fmt.Sprintf("deleteTwit(input:{id:%q}){userErrors{code}}", moment))
	s[1].subscribe(t, "a", replayed).expectNothing(s[1])
}
