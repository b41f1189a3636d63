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
	"twibase/writers"
	"twibase/writers/feeds"
)

// newsroom is a gateway whose jobs are done when the test says so, by a clock of its own.
type newsroom struct {
	*gateway
	*testing.T
	writers *writers.Writers
	feeds   *feeds.Feeds
	ahead   time.Duration
}

// newNewsroom has users, of whom those with more followers than limit are broadcasters.
func newNewsroom(t *testing.T, limit int, usernames ...string) *newsroom {
	t.Helper()
	n := &newsroom{gateway: newAccounts(t), T: t}
	for _, username := range usernames {
		errs, err := n.store.Mutate(t.Context(), []hbase.Mutation{tables.Users.Put(username, &tables.User{Name: &username}, 1)})
		if err != nil || errs != nil {
			t.Fatal(err, errs)
		}
	}
	n.feeds = feeds.New(n.store, feeds.Options{Limit: limit, BatchSize: 2, Now: func() time.Time { return time.Now().Add(n.ahead) }})
	n.writers = n.root.Writers
	return n
}

// does sends a mutation as somebody, and returns what is at a path of its payload.
func (n *newsroom) does(username, field, input string, path ...any) any {
	n.Helper()
	selection := "clientMutationId"
	if field == "postTwit" {
		selection = "twit{id}"
	}
	a, err := answer(n.ask(n.T, fmt.Sprintf(`mutation{%s(input:{%s}){%s userErrors{code message}}}`, field, input, selection), nil, oracle.Viewer{Username: username}))
	if err != nil || len(a.Errors) > 0 {
		n.Fatal(err, a.Errors)
	}
	if errs, _ := oracle.Get(a.Data, field, "userErrors").(oracle.List); len(errs) > 0 {
		n.Fatal(field, input, errs)
	}
	return oracle.Get(a.Data, append([]any{field}, path...)...)
}

func (n *newsroom) posts(username, content string) string {
	n.Helper()
	time.Sleep(2 * time.Millisecond) // twits of one millisecond are in no order that a test could know
	return n.does(username, "postTwit", fmt.Sprintf("content:%q", content), "twit", "id").(string)
}

func (n *newsroom) follows(username, whom string) {
	n.does(username, "follow", fmt.Sprintf("username:%q", whom))
}
func (n *newsroom) unfollows(username, whom string) {
	n.does(username, "unfollow", fmt.Sprintf("username:%q", whom))
}

// catchUp does what is to be done in the background.
func (n *newsroom) catchUp() {
	n.Helper()
	for n.writers.Counters.Open.Load() > 0 {
		time.Sleep(time.Millisecond)
	}
	n.ahead += time.Minute // when the last job has rested
	if err := n.feeds.Sweep(n.Context()); err != nil {
		n.Fatal(err)
	}
}

// page reads some of the viewer's timeline.
func (n *newsroom) page(username, arguments string) (contents []string, end string, more bool) {
	n.Helper()
	a, err := answer(n.ask(n.T, `{viewer{timeline(`+arguments+`){nodes{content} pageInfo{hasNextPage endCursor}}}}`, nil, oracle.Viewer{Username: username}))
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

func (n *newsroom) sees(username string, contents ...string) {
	n.Helper()
	if got, _, _ := n.page(username, "first:100"); !slices.Equal(got, contents) {
		n.Errorf("%s sees %q, and should see %q", username, got, contents)
	}
}

func TestATimelineFollowsWhatPeopleDo(t *testing.T) {
	n := newNewsroom(t, 2, "LiLei", "Lucy", "x", "y")
	n.posts("Lucy", "1")
	second := n.posts("Lucy", "2")
	n.follows("LiLei", "Lucy")
	n.catchUp()
	n.sees("LiLei", "2", "1")
	n.posts("Lucy", "3")
	n.catchUp()
	n.sees("LiLei", "3", "2", "1")
	n.unfollows("LiLei", "Lucy")
	n.sees("LiLei") // at once
	n.catchUp()
	n.follows("LiLei", "Lucy")
	n.catchUp()
	n.sees("LiLei", "3", "2", "1")
	n.does("Lucy", "deleteTwit", fmt.Sprintf("id:%q", second))
	n.sees("LiLei", "3", "1") // at once
	n.catchUp()
	n.sees("LiLei", "3", "1")
	n.follows("x", "Lucy")
	n.follows("y", "Lucy")
	n.catchUp()
	n.sees("y", "3", "1")
	n.posts("Lucy", "for more than two")
	n.catchUp()
	n.posts("Lucy", "merged at once")
	n.sees("LiLei", "merged at once", "for more than two", "3", "1")
	n.unfollows("y", "Lucy")
	n.sees("y")
	n.unfollows("x", "Lucy")
	n.unfollows("LiLei", "Lucy")
	n.follows("LiLei", "Lucy")
	n.sees("LiLei", "merged at once", "for more than two", "3", "1")
	n.posts("Lucy", "again")
	for range 3 {
		n.catchUp()
		n.sees("LiLei", "again", "merged at once", "for more than two", "3", "1")
	}
}

// Between the pages anything may happen to what is newer, and to where the twits are found.
func TestPagesOfATimelineNeitherRepeatNorLeaveOut(t *testing.T) {
	random := *seed
	if random == 0 {
		random = uint64(time.Now().UnixNano())
	}
	t.Logf("-seed %d", random)
	chance := rand.New(rand.NewPCG(random, 1))
	authors, others := []string{"a", "b", "c"}, []string{"d", "e", "f"}
	n := newNewsroom(t, 2, slices.Concat(authors, others, []string{"reader"})...)
	posted, following := 0, map[string]bool{}
	for _, author := range authors {
		n.follows("reader", author)
	}
	act := func() {
		author, other := authors[chance.IntN(3)], others[chance.IntN(3)]
		switch chance.IntN(6) {
		case 0, 1:
			posted++
			n.posts(author, fmt.Sprint(posted))
		case 2, 3:
			edge := other + author
			if following[edge] = !following[edge]; following[edge] {
				n.follows(other, author)
			} else {
				n.unfollows(other, author)
			}
		default:
			n.catchUp()
		}
	}
	for range 60 {
		act()
	}
	for range 25 {
		there, _, _ := n.page("reader", "first:100")
		seen, arguments := map[string]int{}, "first:4"
		for more := true; more; act() {
			contents, end, next := n.page("reader", arguments)
			for _, content := range contents {
				seen[content]++
			}
			more, arguments = next, fmt.Sprintf("first:4,after:%q", end)
		}
		for _, content := range there {
			if seen[content] == 0 {
				t.Errorf("%s was left out of %v", content, seen)
			}
		}
		for content, times := range seen {
			if times > 1 {
				t.Errorf("%s was there %d times", content, times)
			}
		}
	}
	n.catchUp()
	got, _, _ := n.page("reader", "first:100")
	slices.Sort(got)
	var want []string
	for i := posted; i > max(posted-100, 0); i-- {
		want = append(want, fmt.Sprint(i))
	}
	for _, content := range want {
		if _, found := slices.BinarySearch(got, content); !found {
			t.Errorf("%s is not among the newest: %q", content, got)
		}
	}
}
