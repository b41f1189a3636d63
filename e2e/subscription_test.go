package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"twibase/e2e/oracle"
	"twibase/graph/auth"
	"twibase/graph/endpoint"
	"twibase/graph/exec"
	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/live"
	"twibase/resolvers"
	"twibase/writers"
	"twibase/writers/feeds"
)

type liveGateway struct {
	*gateway
	endpoint *endpoint.Endpoint
	live     *live.Poller
	resolver *resolvers.Resolver
	url      string
}

func newLiveGateway(t *testing.T, store hbase.Store, limit int) *liveGateway {
	withLoaders := loadersOver(store)
	s := &liveGateway{gateway: newGateway("embedded", store)}
	var feed *feeds.Feeds
	s.live = live.New(store, live.Options{Visible: resolvers.Visible(withLoaders), Interval: 20 * time.Millisecond,
		PendingSince: func() []time.Time { return []time.Time{feed.PendingSince()} }})
	feed = feeds.New(store, feeds.Options{Limit: limit})
	w := writers.New(store, writers.Options{Jobs: feed.Notify})
	root := *s.root
	root.Writers, root.Live, root.WithLoaders = w, s.live, withLoaders
	s.resolver = &root
	schema := exec.NewPlannedSchema(exec.Config{Resolvers: s.resolver}, tasksOf)
	s.endpoint = endpoint.New(schema, endpoint.Config{Timeout: time.Minute, Around: withLoaders, Tokens: s.tokens})
	s.handler = s.tokens.Handler(s.endpoint)
	web := httptest.NewServer(s.handler)
	s.url = web.URL
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { s.live.Run(ctx) })
	running.Go(func() { feed.Run(ctx) })
	t.Cleanup(func() {
		s.endpoint.Shutdown(ctx)
		web.Close()
		w.Close(ctx)
		cancel()
		running.Wait()
	})
	return s
}

func serveOn(t *testing.T, e *endpoint.Endpoint) (url string) {
	web := httptest.NewServer(e)
	t.Cleanup(web.Close)
	t.Cleanup(func() { e.Shutdown(context.Background()) })
	return web.URL
}

func liveGateways(t *testing.T, n, limit int, usernames ...string) []*liveGateway {
	t.Helper()
	return liveGatewaysOver(t, newEmptyGateway(t).store, n, limit, usernames...)
}

func liveGatewaysOver(t *testing.T, store hbase.Store, n, limit int, usernames ...string) []*liveGateway {
	t.Helper()
	for _, name := range usernames {
		if errs, err := store.Mutate(t.Context(), []hbase.Mutation{tables.Users.Put(name,
			&tables.User{Username: name, Name: new("Mr. " + name)}, 1)}); err != nil || errs != nil {
			t.Fatal(errs, err)
		}
	}
	all := make([]*liveGateway, n)
	for i := range all {
		all[i] = newLiveGateway(t, store, limit)
	}
	return all
}

func (s *liveGateway) token(t testing.TB, username string) string {
	token, _, err := s.tokens.Sign(auth.Viewer{Username: username})
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func (s *liveGateway) mutate(t *testing.T, username, mutation string) any {
	t.Helper()
	a := s.queryWithToken(t, "mutation{x:"+mutation+"}", s.token(t, username))
	if len(a.Errors) > 0 || len(oracle.Get(a.Data, "x", "userErrors").(oracle.List)) > 0 {
		t.Fatal(a)
	}
	return oracle.Get(a.Data, "x")
}

// postTwit waits for the next millisecond, so that the order of twits is defined.
func (s *liveGateway) postTwit(t *testing.T, username, content string) string {
	t.Helper()
	time.Sleep(2 * time.Millisecond)
	return oracle.Get(s.mutate(t, username, fmt.Sprintf(`postTwit(input:{content:%q}){twit{id} userErrors{code}}`,
		content)), "twit", "id").(string)
}

type subscriber struct {
	t      *testing.T
	socket *websocket.Conn
}

func (s *liveGateway) subscribe(t *testing.T, username, field string) subscriber {
	t.Helper()
	return s.subscribeTo(t, username, "subscription{t:"+field+"{id content author{username name}}}")
}

func (s *liveGateway) subscribeTo(t *testing.T, username, query string) subscriber {
	t.Helper()
	socket, _, err := websocket.Dial(t.Context(), s.url,
		&websocket.DialOptions{Subprotocols: []string{"graphql-transport-ws"}})
	if err != nil {
		t.Fatal(err)
	}
	l := subscriber{t, socket}
	t.Cleanup(func() { socket.CloseNow() })
	hello := `{"type":"connection_init"}`
	if username != "" {
		hello = fmt.Sprintf(`{"type":"connection_init","payload":{"authorization":"Bearer %s"}}`, s.token(t, username))
	}
	before := s.live.Counters.Subscribers.Load()
	text, _ := json.Marshal(map[string]any{"id": "1", "type": "subscribe", "payload": map[string]any{
		"query": query}})
	for _, message := range []string{hello, string(text)} {
		if err := socket.Write(t.Context(), websocket.MessageText, []byte(message)); err != nil {
			t.Fatal(err)
		}
	}
	l.read()
	for begin := time.Now(); s.live.Counters.Subscribers.Load() == before && time.Since(begin) < time.Second; {
		time.Sleep(time.Millisecond)
	}
	return l
}

func (l subscriber) read() any {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(l.t.Context(), 10*time.Second)
	defer cancel()
	_, text, err := l.socket.Read(ctx)
	if err != nil {
		l.t.Fatal(err)
	}
	value, err := oracle.Decode(text)
	if err != nil {
		l.t.Fatal(err)
	}
	return value
}

func (l subscriber) next() (id, content string) {
	l.t.Helper()
	message := l.read()
	twit := oracle.Get(message, "payload", "data", "t")
	if twit == nil {
		l.t.Fatal(message)
	}
	if by := sprint(oracle.Get(twit, "author", "name"), "=Mr. ", oracle.Get(twit, "author",
		"username")); !strings.HasPrefix(by, "Mr. ") || by[:strings.Index(by, "=")] != by[strings.Index(by, "=")+1:] {
		l.t.Fatal(by)
	}
	return oracle.Get(twit, "id").(string), oracle.Get(twit, "content").(string)
}

func (l subscriber) expect(contents ...string) {
	l.t.Helper()
	for _, want := range contents {
		if _, got := l.next(); got != want {
			l.t.Fatalf("got %q, want %q", got, want)
		}
	}
}

func (l subscriber) expectNothing(s *liveGateway) {
	l.t.Helper()
	for end := s.live.Counters.Polls.Load() + 5; s.live.Counters.Polls.Load() < end; {
		time.Sleep(time.Millisecond)
	}
	ctx, cancel := context.WithTimeout(l.t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, text, err := l.socket.Read(ctx); err == nil {
		l.t.Errorf("got %s, want nothing", text)
	}
}

func TestSubscribersReceiveTwitsOfOtherGateways(t *testing.T) {
	s := liveGateways(t, 2, 0, "a", "b", "c", "fan")
	s[0].mutate(t, "fan", `follow(input:{username:"a"}){userErrors{code}}`)
	timeline, fan, unauthenticated := s[1].subscribe(t, "fan", "timelineTwitAdded"),
		s[1].subscribe(t, "fan", `twitPosted(username:"a")`), s[1].subscribe(t, "", `twitPosted(username:"a")`)
	for i := range 3 {
		s[0].postTwit(t, "c", "not followed")
		s[0].postTwit(t, "a", fmt.Sprint("public ", i))
		time.Sleep(2 * time.Millisecond)
		s[0].mutate(t, "a", `postTwit(input:{content:"for followers",visibility:FOLLOWERS}){userErrors{code}}`)
		timeline.expect(fmt.Sprint("public ", i), "for followers")
		fan.expect(fmt.Sprint("public ", i), "for followers")
		unauthenticated.expect(fmt.Sprint("public ", i))
	}
	s[0].mutate(t, "fan", `unfollow(input:{username:"a"}){userErrors{code}}`)
	s[0].mutate(t, "fan", `follow(input:{username:"b"}){userErrors{code}}`)
	s[0].postTwit(t, "a", "not for the timeline")
	s[0].postTwit(t, "b", "for it")
	fan.expect("not for the timeline")
	timeline.expect("for it")
}

func TestTimelineSubscribersReceiveTwitsOfBroadcasters(t *testing.T) {
	s := liveGateways(t, 2, 2, "a", "b", "c", "d", "x")
	for _, follower := range []string{"b", "c"} {
		s[0].mutate(t, follower, `follow(input:{username:"a"}){userErrors{code}}`)
	}
	b, x := s[1].subscribe(t, "b", "timelineTwitAdded"), s[1].subscribe(t, "x", "timelineTwitAdded")
	s[0].postTwit(t, "a", "to two")
	b.expect("to two")
	s[0].mutate(t, "d", `follow(input:{username:"a"}){userErrors{code}}`)
	s[0].postTwit(t, "a", "to three")
	b.expect("to three")
	d := s[1].subscribe(t, "d", "timelineTwitAdded")
	s[0].postTwit(t, "a", "to three again")
	b.expect("to three again")
	d.expect("to three again")
	s[0].mutate(t, "x", `follow(input:{username:"b"}){userErrors{code}}`)
	s[0].postTwit(t, "b", "to one")
	x.expect("to one")
}

func TestSubscriptionAfterTwitDeliversNewerTwitsFirst(t *testing.T) {
	for _, limit := range []int{0, 1} {
		s := liveGateways(t, 2, limit, "a", "fan", "other")
		for _, follower := range []string{"fan", "other"} {
			s[0].mutate(t, follower, `follow(input:{username:"a"}){userErrors{code}}`)
		}
		var ids, contents []string
		for i := range 250 {
			contents = append(contents, fmt.Sprint("twit ", i))
			ids = append(ids, s[0].postTwit(t, "a", contents[i]))
		}
		early := s[0].subscribe(t, "fan", fmt.Sprintf("timelineTwitAdded(after:%q)", ids[0]))
		early.expect(contents[1:]...)
		all := s[0].subscribe(t, "", fmt.Sprintf(`twitPosted(username:"a",after:%q)`, ids[0]))
		all.expect(contents[1:]...)
		some := s[0].subscribe(t, "", fmt.Sprintf(`twitPosted(username:"a",after:%q)`, ids[240]))
		some.expect(contents[:240]...) // the gateway does not know that the client has them
		some.expect(contents[241:]...)
		s[1].postTwit(t, "a", "new")
		early.expect("new")
		all.expect("new")
		some.expect("new")
	}
}

func TestReconnectingSubscriberMissesNothing(t *testing.T) {
	for _, otherGateway := range []bool{false, true} {
		t.Run(fmt.Sprintf("otherGateway=%t", otherGateway), func(t *testing.T) {
			seed := rand.Uint64()
			t.Log("seed ", seed)
			random := rand.New(rand.NewPCG(seed, 1))
			authors := []string{"a", "b", "c"}
			s := liveGateways(t, 2, 0, append(authors, "fan")...)
			for _, author := range authors {
				s[0].mutate(t, "fan", fmt.Sprintf(`follow(input:{username:%q}){userErrors{code}}`, author))
			}
			first := s[0].postTwit(t, "a", "first")
			const each = 40
			connection := s[0].subscribe(t, "fan", fmt.Sprintf("timelineTwitAdded(after:%q)", first))
			var posting sync.WaitGroup
			for i, author := range authors {
				posting.Go(func() {
					for n := range each {
						s[i%2].postTwit(t, author, fmt.Sprint(author, n))
						time.Sleep(time.Duration(n%7) * time.Millisecond)
					}
				})
			}
			times, leaves := map[string]int{}, 0
			for len(times) < each*len(authors) {
				last, content := connection.next()
				times[content]++ // some twice; clients drop them by id
				if leaves < 20 && random.IntN(6) == 0 {
					leaves++
					connection.socket.CloseNow()
					time.Sleep(time.Duration(random.IntN(60)) * time.Millisecond)
					at := 0
					if otherGateway {
						at = random.IntN(2)
					}
					connection = s[at].subscribe(t, "fan", fmt.Sprintf("timelineTwitAdded(after:%q)", last))
				}
			}
			posting.Wait()
		})
	}
}

func TestInvalidSubscriptionsAreRejected(t *testing.T) {
	s := liveGateways(t, 1, 0, "a")[0]
	twit := s.postTwit(t, "a", "a twit")
	onAnother := s.addComment(t, "a", s.postTwit(t, "a", "another"), "a comment")
	for _, test := range []struct{ field, code string }{
		{"timelineTwitAdded", "UNAUTHENTICATED"},
		{`twitPosted(username:"a",after:"nonsense")`, "BAD_USER_INPUT"},
		{fmt.Sprintf(`commentAdded(twitId:%q,after:%q)`, twit, twit), "BAD_USER_INPUT"},
		{fmt.Sprintf(`commentAdded(twitId:%q,after:%q)`, twit, onAnother), "BAD_USER_INPUT"},
		{fmt.Sprintf(`twitPosted(username:"a",after:%q)`,
			oracle.Get(s.queryWithToken(t, `{user(username:"a"){id}}`, "").Data, "user", "id")), "BAD_USER_INPUT"},
	} {
		message := s.subscribe(t, "", test.field).read()
		errors, _ := oracle.Get(message, "payload").(oracle.List)
		if oracle.Get(message, "type") != "error" || len(errors) != 1 ||
			oracle.Get(errors[0], "extensions", "code") != test.code {
			t.Errorf("%s: %v", test.field, message)
		}
	}
}

func TestShutdownClosesSubscriptions(t *testing.T) {
	s := liveGateways(t, 2, 0, "a")
	l := s[0].subscribe(t, "", `twitPosted(username:"a")`)
	last := s[0].postTwit(t, "a", "one")
	l.expect("one")
	go s[0].endpoint.Shutdown(t.Context())
	if _, _, err := l.socket.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusGoingAway {
		t.Fatal(err)
	}
	s[1].postTwit(t, "a", "two")
	s[1].subscribe(t, "", fmt.Sprintf(`twitPosted(username:"a",after:%q)`, last)).expect("two")
	if n := s[0].live.Counters.Subscribers.Load(); n != 0 {
		t.Errorf("%d subscribers remain", n)
	}
}
