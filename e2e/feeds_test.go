package e2e

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"twibase/e2e/oracle"
	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/hbase/tables/tablestest"
	"twibase/writers/feeds"
)

type feedGateway struct {
	*gateway
	*testing.T
	feeds       *feeds.Feeds
	clockOffset time.Duration
}

func newFeedGateway(t *testing.T, limit int, usernames ...string) *feedGateway {
	t.Helper()
	n := &feedGateway{gateway: newEmptyGateway(t), T: t}
	for _, username := range usernames {
		errs, err := n.store.Mutate(t.Context(),
			[]hbase.Mutation{tables.Users.Put(username, &tables.User{Name: &username}, 1)})
		if err != nil || errs != nil {
			t.Fatal(err, errs)
		}
	}
	n.feeds = feeds.New(n.store, feeds.Options{Limit: limit, BatchSize: 2,
		Now: func() time.Time { return time.Now().Add(n.clockOffset) }})
	return n
}

func (n *feedGateway) mutate(username, field, input string, path ...any) any {
	n.Helper()
	selection := "clientMutationId"
	if field == "postTwit" {
		selection = "twit{id}"
	}
	a, err := decodeAnswer(n.ask(n.T, fmt.Sprintf(`mutation{%s(input:{%s}){%s userErrors{code message}}}`,
		field, input, selection), nil, oracle.Viewer{Username: username}))
	if err != nil || len(a.Errors) > 0 {
		n.Fatal(err, a.Errors)
	}
	if errs, _ := oracle.Get(a.Data, field, "userErrors").(oracle.List); len(errs) > 0 {
		n.Fatal(field, input, errs)
	}
	return oracle.Get(a.Data, append([]any{field}, path...)...)
}

func (n *feedGateway) postTwit(username, content string) string {
	n.Helper()
	time.Sleep(2 * time.Millisecond) // the order of twits of one millisecond is undefined
	return n.mutate(username, "postTwit", fmt.Sprintf("content:%q", content), "twit", "id").(string)
}

func (n *feedGateway) follow(username, whom string) {
	n.mutate(username, "follow", fmt.Sprintf("username:%q", whom))
}
func (n *feedGateway) unfollow(username, whom string) {
	n.mutate(username, "unfollow", fmt.Sprintf("username:%q", whom))
}

func (n *feedGateway) runJobs() {
	n.Helper()
	tablestest.AwaitNoIntents(n.T, n.store)
	n.clockOffset += time.Minute
	if err := n.feeds.Sweep(n.Context()); err != nil {
		n.Fatal(err)
	}
}

func (n *feedGateway) page(username, arguments string) (contents []string, end string, more bool) {
	n.Helper()
	a, err := decodeAnswer(n.ask(n.T, `{viewer{timeline(`+arguments+`){nodes{content} pageInfo{hasNextPage endCursor}}}}`,
		nil, oracle.Viewer{Username: username}))
	if err != nil || len(a.Errors) > 0 {
		n.Fatal(err, a.Errors)
	}
	nodes, _ := oracle.Get(a.Data, "viewer", "timeline", "nodes").(oracle.List)
	for _, node := range nodes {
		contents = append(contents, oracle.Get(node, "content").(string))
	}
	end, _ = oracle.Get(a.Data, "viewer", "timeline", "pageInfo", "endCursor").(string)
	return contents, end, oracle.Get(a.Data, "viewer", "timeline", "pageInfo", "hasNextPage").(bool)
}

func (n *feedGateway) checkTimeline(username string, contents ...string) {
	n.Helper()
	if got, _, _ := n.page(username, "first:100"); !slices.Equal(got, contents) {
		n.Errorf("timeline of %s: got %q, want %q", username, got, contents)
	}
}

func TestTimelineFollowsMutations(t *testing.T) {
	n := newFeedGateway(t, 2, "LiLei", "Lucy", "x", "y")
	n.postTwit("Lucy", "1")
	second := n.postTwit("Lucy", "2")
	n.follow("LiLei", "Lucy")
	n.runJobs()
	n.checkTimeline("LiLei", "2", "1")
	n.postTwit("Lucy", "3")
	n.runJobs()
	n.checkTimeline("LiLei", "3", "2", "1")
	n.unfollow("LiLei", "Lucy")
	n.checkTimeline("LiLei")
	n.runJobs()
	n.follow("LiLei", "Lucy")
	n.runJobs()
	n.checkTimeline("LiLei", "3", "2", "1")
	n.mutate("Lucy", "deleteTwit", fmt.Sprintf("id:%q", second))
	n.checkTimeline("LiLei", "3", "1")
	n.runJobs()
	n.checkTimeline("LiLei", "3", "1")
	n.follow("x", "Lucy")
	n.follow("y", "Lucy")
	n.runJobs()
	n.checkTimeline("y", "3", "1")
	n.postTwit("Lucy", "for more than two")
	n.runJobs()
	n.postTwit("Lucy", "merged at once")
	n.checkTimeline("LiLei", "merged at once", "for more than two", "3", "1")
	n.unfollow("y", "Lucy")
	n.checkTimeline("y")
	n.unfollow("x", "Lucy")
	n.unfollow("LiLei", "Lucy")
	n.follow("LiLei", "Lucy")
	n.checkTimeline("LiLei", "merged at once", "for more than two", "3", "1")
	n.postTwit("Lucy", "again")
	for range 3 {
		n.runJobs()
		n.checkTimeline("LiLei", "again", "merged at once", "for more than two", "3", "1")
	}
}

func TestTimelinePagesNeitherRepeatNorOmit(t *testing.T) {
	random := seedOf(t)
	chance := rand.New(rand.NewPCG(random, 1))
	authors, others := []string{"a", "b", "c"}, []string{"d", "e", "f"}
	n := newFeedGateway(t, 2, slices.Concat(authors, others, []string{"reader"})...)
	posted, following := 0, map[string]bool{}
	for _, author := range authors {
		n.follow("reader", author)
	}
	act := func() {
		author, other := authors[chance.IntN(3)], others[chance.IntN(3)]
		switch chance.IntN(6) {
		case 0, 1:
			posted++
			n.postTwit(author, fmt.Sprint(posted))
		case 2, 3:
			edge := other + author
			if following[edge] = !following[edge]; following[edge] {
				n.follow(other, author)
			} else {
				n.unfollow(other, author)
			}
		default:
			n.runJobs()
		}
	}
	for range 60 {
		act()
	}
	for range 25 {
		existing, _, _ := n.page("reader", "first:100")
		seen, arguments := map[string]int{}, "first:4"
		for more := true; more; act() {
			contents, end, next := n.page("reader", arguments)
			for _, content := range contents {
				seen[content]++
			}
			more, arguments = next, fmt.Sprintf("first:4,after:%q", end)
		}
		for _, content := range existing {
			if seen[content] == 0 {
				t.Errorf("%s is missing from %v", content, seen)
			}
		}
		for content, times := range seen {
			if times > 1 {
				t.Errorf("%s occurs %d times", content, times)
			}
		}
	}
	n.runJobs()
	got, _, _ := n.page("reader", "first:100")
	slices.Sort(got)
	var want []string
	for i := posted; i > max(posted-100, 0); i-- {
		want = append(want, fmt.Sprint(i))
	}
	for _, content := range want {
		if _, found := slices.BinarySearch(got, content); !found {
			t.Errorf("%s is missing from the newest twits: %q", content, got)
		}
	}
}
