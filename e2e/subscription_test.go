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
	"twibase/graph/plan"
	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/live"
	"twibase/loaders"
	"twibase/resolvers"
	"twibase/writers"
	"twibase/writers/feeds"
)

// station is a gateway that keeps timelines and has subscribers.
type station struct {
	*gateway
	endpoint *endpoint.Endpoint
	live     *live.Poller
	// listening resolves subscriptions too.
	listening *resolvers.Resolver
	url       string
}

// newStation starts one whose broadcasters are those with more than limit followers.
func newStation(t *testing.T, store hbase.Store, limit int) *station {
	fresh := func(ctx context.Context) context.Context { return watchdog.With(ctx, store) }
	s := &station{gateway: newGateway("embedded", store)}
	var keeper *feeds.Feeds
	s.live = live.New(store, live.Options{Visible: resolvers.Visible(fresh), Interval: 20 * time.Millisecond,
		OldestFanout: func() time.Time { return keeper.PendingSince() }})
	keeper = feeds.New(store, feeds.Options{Limit: limit})
	w := writers.New(store, writers.Options{Jobs: keeper.Notify})
	root := *s.root
	root.Writers, root.Live, root.Fresh = w, s.live, fresh
	s.listening = &root
	schema := exec.NewPlannedSchema(exec.Config{Resolvers: s.listening}, func(ctx context.Context) plan.Tasks { return loaders.TasksOf(ctx) })
	s.endpoint = endpoint.New(schema, endpoint.Config{Timeout: time.Minute, Around: fresh, Tokens: s.tokens})
	s.handler = s.tokens.Handler(s.endpoint)
	web := httptest.NewServer(s.handler)
	s.url = web.URL
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { s.live.Run(ctx) })
	running.Go(func() { keeper.Run(ctx) })
	t.Cleanup(func() {
		s.endpoint.Shutdown(ctx)
		web.Close()
		w.Close(ctx)
		cancel()
		running.Wait()
	})
	return s
}

// serveOn serves until the test ends, and returns where.
func serveOn(t *testing.T, e *endpoint.Endpoint) (url string) {
	web := httptest.NewServer(e)
	t.Cleanup(web.Close)
	t.Cleanup(func() { e.Shutdown(context.Background()) })
	return web.URL
}

// stations are n of one store with these users.
func stations(t *testing.T, n, limit int, usernames ...string) []*station {
	t.Helper()
	return stationsOver(t, newAccounts(t).store, n, limit, usernames...)
}

func stationsOver(t *testing.T, store hbase.Store, n, limit int, usernames ...string) []*station {
	t.Helper()
	for _, name := range usernames {
		if errs, err := store.Mutate(t.Context(), []hbase.Mutation{tables.Users.Put(name, &tables.User{Username: name, Name: new("Mr. " + name)}, 1)}); err != nil || errs != nil {
			t.Fatal(errs, err)
		}
	}
	all := make([]*station, n)
	for i := range all {
		all[i] = newStation(t, store, limit)
	}
	return all
}

func (s *station) token(t testing.TB, username string) string {
	token, _, err := s.tokens.Sign(auth.Viewer{Username: username})
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// does makes a change, and returns its payload.
func (s *station) does(t *testing.T, username, mutation string) any {
	t.Helper()
	a := s.post(t, "mutation{x:"+mutation+"}", s.token(t, username))
	if len(a.Errors) > 0 || len(oracle.Get(a.Data, "x", "userErrors").(oracle.List)) > 0 {
		t.Fatal(a)
	}
	return oracle.Get(a.Data, "x")
}

// posts posts a twit, and returns its id. No two are of the same millisecond, so that they come in this order.
func (s *station) posts(t *testing.T, username, content string) string {
	t.Helper()
	time.Sleep(2 * time.Millisecond)
	return oracle.Get(s.does(t, username, fmt.Sprintf(`postTwit(input:{content:%q}){twit{id} userErrors{code}}`, content)), "twit", "id").(string)
}

// subscriber listens over a WebSocket.
type subscriber struct {
	t      *testing.T
	socket *websocket.Conn
}

func (s *station) subscribe(t *testing.T, username, field string) subscriber {
	t.Helper()
	socket, _, err := websocket.Dial(t.Context(), s.url, &websocket.DialOptions{Subprotocols: []string{"graphql-transport-ws"}})
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
		"query": "subscription{t:" + field + "{id content author{username name}}}"}})
	for _, message := range []string{hello, string(text)} {
		if err := socket.Write(t.Context(), websocket.MessageText, []byte(message)); err != nil {
			t.Fatal(err)
		}
	}
	l.read() // the acknowledgement
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

// next returns the next twit.
func (l subscriber) next() (id, content string) {
	l.t.Helper()
	message := l.read()
	twit := oracle.Get(message, "payload", "data", "t")
	if twit == nil {
		l.t.Fatal(message)
	}
	if by := sprint(oracle.Get(twit, "author", "name"), "=Mr. ", oracle.Get(twit, "author", "username")); !strings.HasPrefix(by, "Mr. ") || by[:strings.Index(by, "=")] != by[strings.Index(by, "=")+1:] {
		l.t.Fatal(by)
	}
	return oracle.Get(twit, "id").(string), oracle.Get(twit, "content").(string)
}

func (l subscriber) hears(contents ...string) {
	l.t.Helper()
	for _, want := range contents {
		if _, got := l.next(); got != want {
			l.t.Fatalf("%q came, not %q", got, want)
		}
	}
}

func TestSubscribersHearOfWhatIsPostedAtAnotherGateway(t *testing.T) {
	s := stations(t, 2, 0, "a", "b", "c", "fan")
	s[0].does(t, "fan", `follow(input:{username:"a"}){userErrors{code}}`)
	timeline, fan, stranger := s[1].subscribe(t, "fan", "timelineTwitAdded"), s[1].subscribe(t, "fan", `twitPosted(username:"a")`), s[1].subscribe(t, "", `twitPosted(username:"a")`)
	for i := range 3 {
		s[0].posts(t, "c", "for nobody")
		s[0].posts(t, "a", fmt.Sprint("public ", i))
		time.Sleep(2 * time.Millisecond)
		s[0].does(t, "a", `postTwit(input:{content:"for followers",visibility:FOLLOWERS}){userErrors{code}}`)
		timeline.hears(fmt.Sprint("public ", i), "for followers")
		fan.hears(fmt.Sprint("public ", i), "for followers")
		stranger.hears(fmt.Sprint("public ", i))
	}
	s[0].does(t, "fan", `unfollow(input:{username:"a"}){userErrors{code}}`)
	s[0].does(t, "fan", `follow(input:{username:"b"}){userErrors{code}}`)
	s[0].posts(t, "a", "not for the timeline")
	s[0].posts(t, "b", "for it")
	fan.hears("not for the timeline")
	timeline.hears("for it")
}

func TestBroadcastersAreHeardInTimelines(t *testing.T) {
	s := stations(t, 2, 2, "a", "b", "c", "d", "x")
	for _, follower := range []string{"b", "c"} {
		s[0].does(t, follower, `follow(input:{username:"a"}){userErrors{code}}`)
	}
	b, x := s[1].subscribe(t, "b", "timelineTwitAdded"), s[1].subscribe(t, "x", "timelineTwitAdded")
	s[0].posts(t, "a", "to two")
	b.hears("to two")
	s[0].does(t, "d", `follow(input:{username:"a"}){userErrors{code}}`)
	s[0].posts(t, "a", "to three")
	b.hears("to three")
	d := s[1].subscribe(t, "d", "timelineTwitAdded")
	s[0].posts(t, "a", "to three again")
	b.hears("to three again")
	d.hears("to three again")
	s[0].does(t, "x", `follow(input:{username:"b"}){userErrors{code}}`)
	s[0].posts(t, "b", "to one")
	x.hears("to one")
}

func TestWhatCameLaterIsDeliveredFirst(t *testing.T) {
	for _, limit := range []int{0, 1} { // merged when it is read, or not
		s := stations(t, 2, limit, "a", "fan", "other")
		for _, follower := range []string{"fan", "other"} {
			s[0].does(t, follower, `follow(input:{username:"a"}){userErrors{code}}`)
		}
		var ids, contents []string
		for i := range 250 { // more than are read at once
			contents = append(contents, fmt.Sprint("twit ", i))
			ids = append(ids, s[0].posts(t, "a", contents[i]))
		}
		early := s[0].subscribe(t, "fan", fmt.Sprintf("timelineTwitAdded(after:%q)", ids[0]))
		early.hears(contents[1:]...)
		all := s[0].subscribe(t, "", fmt.Sprintf(`twitPosted(username:"a",after:%q)`, ids[0]))
		all.hears(contents[1:]...)
		some := s[0].subscribe(t, "", fmt.Sprintf(`twitPosted(username:"a",after:%q)`, ids[240]))
		some.hears(contents[:240]...) // nobody knows that these had come before
		some.hears(contents[241:]...)
		s[1].posts(t, "a", "new")
		early.hears("new")
		all.hears("new")
		some.hears("new")
	}
}

func TestWhoComesBackHasMissedNothing(t *testing.T) {
	for _, elsewhere := range []bool{false, true} {
		t.Run(fmt.Sprintf("elsewhere=%t", elsewhere), func(t *testing.T) {
			seed := rand.Uint64()
			t.Log("seed ", seed)
			random := rand.New(rand.NewPCG(seed, 1))
			authors := []string{"a", "b", "c"}
			s := stations(t, 2, 0, append(authors, "fan")...)
			for _, author := range authors {
				s[0].does(t, "fan", fmt.Sprintf(`follow(input:{username:%q}){userErrors{code}}`, author))
			}
			first := s[0].posts(t, "a", "first")
			const each = 40
			listening := s[0].subscribe(t, "fan", fmt.Sprintf("timelineTwitAdded(after:%q)", first))
			var posting sync.WaitGroup
			for i, author := range authors {
				posting.Go(func() {
					for n := range each {
						s[i%2].posts(t, author, fmt.Sprint(author, n))
						time.Sleep(time.Duration(n%7) * time.Millisecond)
					}
				})
			}
			times, last, leaves := map[string]int{}, first, 0
			for len(times) < each*len(authors) {
				var content string
				last, content = listening.next()
				times[content]++ // some come twice: who subscribes drops them by their ids
				if leaves < 20 && random.IntN(6) == 0 {
					leaves++
					listening.socket.CloseNow()
					time.Sleep(time.Duration(random.IntN(60)) * time.Millisecond)
					at := 0
					if elsewhere {
						at = random.IntN(2)
					}
					listening = s[at].subscribe(t, "fan", fmt.Sprintf("timelineTwitAdded(after:%q)", last))
				}
			}
			posting.Wait()
		})
	}
}

func TestWhatCannotBeListenedToIsRefused(t *testing.T) {
	s := stations(t, 1, 0, "a")[0]
	for _, test := range []struct{ field, code string }{
		{"timelineTwitAdded", "UNAUTHENTICATED"},
		{`twitPosted(username:"a",after:"nonsense")`, "BAD_USER_INPUT"},
		{fmt.Sprintf(`twitPosted(username:"a",after:%q)`, oracle.Get(s.post(t, `{user(username:"a"){id}}`, "").Data, "user", "id")), "BAD_USER_INPUT"},
	} {
		message := s.subscribe(t, "", test.field).read()
		errors, _ := oracle.Get(message, "payload").(oracle.List)
		if oracle.Get(message, "type") != "error" || len(errors) != 1 || oracle.Get(errors[0], "extensions", "code") != test.code {
			t.Errorf("%s: %v", test.field, message)
		}
	}
}

func TestSubscribersOfAGatewayThatEndsGoElsewhere(t *testing.T) {
	s := stations(t, 2, 0, "a")
	l := s[0].subscribe(t, "", `twitPosted(username:"a")`)
	last := s[0].posts(t, "a", "one")
	l.hears("one")
	go s[0].endpoint.Shutdown(t.Context())
	if _, _, err := l.socket.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusGoingAway {
		t.Fatal(err)
	}
	s[1].posts(t, "a", "two")
	s[1].subscribe(t, "", fmt.Sprintf(`twitPosted(username:"a",after:%q)`, last)).hears("two")
	if n := s[0].live.Counters.Subscribers.Load(); n != 0 {
		t.Errorf("%d subscribers are left", n)
	}
}
