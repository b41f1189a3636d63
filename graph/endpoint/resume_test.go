package endpoint

import (
	"cmp"
	"context"
	"encoding/base64"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"twibase/graph/auth"
	"twibase/graph/endpoint/transport"
	"twibase/graph/exec"
	"twibase/graph/plan"
	"twibase/graph/resume"
	"twibase/hbase"
	"twibase/hbase/embedded"
	"twibase/hbase/hbasetest"
	"twibase/hbase/tables"
	"twibase/live"
	"twibase/loaders"
	"twibase/resolvers"
)

type feed struct {
	*testing.T
	store    hbase.Store
	endpoint *Endpoint
	reads    *reads
	last     tables.TwitKey
	until    time.Time // expiry of tokens; if zero, each operation gets a new token
	document string
}

func inFeed(t *testing.T, test func(f *feed)) {
	synctest.Test(t, func(t *testing.T) {
		store, err := embedded.Open("")
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		for _, table := range tables.Definitions(1) {
			if err := store.CreateTable(t.Context(), table); err != nil {
				t.Fatal(err)
			}
		}
		f := &feed{T: t, store: store}
		for _, name := range []string{"a", "LiLei", "HanMeimei"} {
			f.write(tables.Users.Put(name, &tables.User{Username: name, Name: &name}, 1))
		}
		// Reads take time, so that connections can be lost during a read.
		distant := hbasetest.NewFaults(store,
			func(hbasetest.Op) hbasetest.Fault { return hbasetest.Fault{Delay: time.Millisecond} })
		f.reads = &reads{Store: distant}
		fresh := func(ctx context.Context) context.Context { return loaders.With(ctx, f.reads) }
		poller := live.New(store, live.Options{Visible: resolvers.Visible(fresh)})
		schema := exec.NewPlannedSchema(exec.Config{Resolvers: &resolvers.Resolver{Live: poller, WithLoaders: fresh}},
			func(ctx context.Context) plan.Tasks { return loaders.TasksOf(ctx) })
		f.endpoint = New(schema, Config{Timeout: time.Minute, Around: fresh})
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { poller.Run(ctx) })
		test(f)
		time.Sleep(2 * resume.TTL)
		synctest.Wait()
		if n := poller.Counters.Subscribers.Load(); n != 0 {
			t.Errorf("%d subscriptions remain, want none", n)
		}
		stop()
		running.Wait()
	})
}

func (f *feed) write(mutations ...hbase.Mutation) {
	f.Helper()
	if errs, err := f.store.Mutate(context.Background(), mutations); err != nil || errs != nil {
		f.Fatal(errs, err)
	}
}

func (f *feed) post(names ...string) (id string) {
	f.Helper()
	for _, name := range names {
		id = f.postAt(time.Now(), name)
		time.Sleep(time.Millisecond)
	}
	time.Sleep(2 * live.Interval)
	synctest.Wait()
	return id
}

func (f *feed) postAt(at time.Time, name string) (id string) {
	f.Helper()
	twit := &tables.Twit{AuthorName: "a", PostedAt: at, Visibility: tables.Public, Name: name, Content: name}
	f.write(hbase.Put{Table: tables.Twits.Table, Row: tables.Twits.Row("a", 0),
		Cells: []hbase.Cell{tables.Twits.Cell(twit, 1)}}, tables.TwitNames.Put(twit, 1))
	f.last = twit.Key()
	return base64.RawURLEncoding.EncodeToString(tables.ID{Noun: tables.NounTwit, Key: f.last.String()}.Bytes())
}

type subscriber struct {
	f        *feed
	cancel   context.CancelFunc
	done     chan struct{}
	received []string
	expired  bool
	// the content of a twit that the subscriber does not receive
	drops string
	after time.Duration
	// the content of a twit that the subscriber reads late
	slow string
	at   time.Time
}

const (
	lifetime = 10*time.Second + live.Interval/5 // ends between two polls
	document = `subscription($u: String!, $after: ID) { twitPosted(username: $u, after: $after) { content } }`
)

func (f *feed) subscribe(viewer, id string, variables map[string]any) *subscriber {
	return f.start(new(subscriber), viewer, id, variables)
}

func (f *feed) start(s *subscriber, viewer, id string, variables map[string]any) *subscriber {
	until := f.until
	if until.IsZero() {
		until = time.Now().Add(lifetime)
	}
	ctx := auth.WithExpiry(auth.WithViewer(f.Context(), auth.Viewer{Username: viewer}), until)
	ctx, cancel := context.WithCancel(resume.WithID(graphql.StartOperationTrace(ctx), id))
	s.f, s.cancel, s.done = f, cancel, make(chan struct{})
	go func() {
		defer close(s.done)
		query := cmp.Or(f.document, document)
		for response := range f.endpoint.execute(ctx, &graphql.RawParams{Query: query, Variables: variables}) {
			if response == transport.Expired {
				s.expired = true
				return
			}
			switch string(response.Data) {
			case `{"twitPosted":{"content":"` + s.drops + `"}}`:
				time.Sleep(s.after)
				return // not sent
			case `{"twitPosted":{"content":"` + s.slow + `"}}`:
				time.Sleep(time.Until(s.at))
			}
			s.received = append(s.received, string(response.Data))
		}
	}()
	time.Sleep(live.Interval)
	synctest.Wait()
	return s
}

func (s *subscriber) expire() {
	s.f.Helper()
	time.Sleep(lifetime)
	<-s.done
	if !s.expired {
		s.f.Error("the subscription did not expire")
	}
}

func (s *subscriber) expect(names ...string) {
	s.f.Helper()
	s.cancel()
	<-s.done
	received := []string{}
	for _, data := range s.received {
		received = append(received, data[len(`{"twitPosted":{"content":"`):len(data)-len(`"}}`)])
	}
	if !slices.Equal(received, names) {
		s.f.Errorf("received %q, want %q", received, names)
	}
}

func ofA() map[string]any { return map[string]any{"u": "a"} }

func TestSubscriptionResumesWithARenewedToken(t *testing.T) {
	inFeed(t, func(f *feed) {
		first := f.subscribe("LiLei", "1", ofA())
		f.post("1", "2")
		first.expire()
		f.post("3", "4")
		again := f.subscribe("LiLei", "1", ofA())
		f.post("5")
		again.expire()
		f.post("6")
		last := f.subscribe("LiLei", "1", ofA())
		f.post("7")
		first.expect("1", "2")
		again.expect("3", "4", "5")
		last.expect("6", "7")
	})
}

func TestDifferentSubscriptionDoesNotResume(t *testing.T) {
	for _, test := range []struct {
		name string
		by   func(f *feed) *subscriber
	}{
		{"other viewer", func(f *feed) *subscriber { return f.subscribe("HanMeimei", "1", ofA()) }},
		{"other id", func(f *feed) *subscriber { return f.subscribe("LiLei", "2", ofA()) }},
		{"other variables", func(f *feed) *subscriber {
			return f.subscribe("LiLei", "1", map[string]any{"u": "a", "after": nil})
		}},
		{"too late", func(f *feed) *subscriber {
			time.Sleep(resume.TTL)
			return f.subscribe("LiLei", "1", ofA())
		}},
		{"twice", func(f *feed) *subscriber {
			f.subscribe("LiLei", "1", ofA()).expect("2")
			return f.subscribe("LiLei", "1", ofA())
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			inFeed(t, func(f *feed) {
				first := f.subscribe("LiLei", "1", ofA())
				f.post("1")
				first.expire()
				f.post("2")
				again := test.by(f)
				f.post("3")
				first.expect("1")
				again.expect("3")
			})
		})
	}
}

func TestCompletedSubscriptionDoesNotResume(t *testing.T) {
	inFeed(t, func(f *feed) {
		first := f.subscribe("LiLei", "1", ofA())
		f.post("1")
		first.expect("1")
		f.post("2")
		again := f.subscribe("LiLei", "1", ofA())
		f.post("3")
		again.expect("3")
	})
}

func TestSubscriptionToAUserThatCannotExistHasNoEvents(t *testing.T) {
	inFeed(t, func(f *feed) {
		long := map[string]any{"u": strings.Repeat("a", hbase.MaxRowLength+1)}
		after := map[string]any{"u": long["u"], "after": f.post("1")}
		for _, variables := range []map[string]any{long, after} {
			for range 2 {
				s := f.subscribe("LiLei", "1", variables)
				s.expire()
				s.expect()
			}
		}
	})
}

func TestEqualSubscriptionsResumeAtTheSamePosition(t *testing.T) {
	inFeed(t, func(f *feed) {
		f.until = time.Now().Add(lifetime)
		one, other := f.subscribe("LiLei", "", ofA()), f.subscribe("LiLei", "", ofA())
		f.until = time.Time{}
		time.Sleep(lifetime - 5*live.Interval)
		f.post("1")
		one.expire()
		other.expire()
		f.post("2")
		again, otherAgain := f.subscribe("LiLei", "", ofA()), f.subscribe("LiLei", "", ofA())
		f.post("3")
		one.expect("1")
		other.expect("1")
		again.expect("2", "3")
		otherAgain.expect("2", "3")
	})
}

func TestResumedSubscriptionDoesNotRepeatAReplay(t *testing.T) {
	inFeed(t, func(f *feed) {
		after := map[string]any{"u": "a", "after": f.post("0")}
		f.post("1", "2")
		first := f.subscribe("LiLei", "1", after)
		f.post("3")
		first.expire()
		f.post("4")
		again := f.subscribe("LiLei", "1", after)
		f.post("5")
		first.expect("1", "2", "3")
		again.expect("4", "5")
	})
}

func TestResumedSubscriptionOmitsDeletedTwits(t *testing.T) {
	inFeed(t, func(f *feed) {
		first := f.subscribe("LiLei", "1", ofA())
		first.expire()
		f.post("1")
		f.write(hbase.Delete{Table: tables.Twits.Table, Row: tables.Twits.Row("a", 0), Columns: []hbase.Deletion{
			{Kind: hbase.AllVersions, Family: tables.Twits.Family, Qualifier: f.last.Position, Timestamp: tables.Forever}}})
		f.post("2")
		again := f.subscribe("LiLei", "1", ofA())
		again.expect("2")
	})
}

func (f *feed) reconnect(drops string) *subscriber {
	f.Helper()
	ctx := auth.WithExpiry(auth.WithViewer(f.Context(), auth.Viewer{Username: "LiLei"}), time.Now().Add(lifetime))
	ctx, cancel := context.WithCancel(resume.WithID(graphql.StartOperationTrace(ctx), "1"))
	s := &subscriber{f: f, cancel: cancel, done: make(chan struct{}), drops: drops}
	go func() {
		defer close(s.done)
		for range f.endpoint.execute(ctx, &graphql.RawParams{Query: document, Variables: ofA()}) {
			if drops != "" {
				return // not sent
			}
		}
	}()
	synctest.Wait()
	return s
}

func TestSubscriptionResumesAfterAFailedAttempt(t *testing.T) {
	for name, attempt := range map[string]func(f *feed){
		"lost before an event": func(f *feed) { f.reconnect("").expect() },
		"lost with the first event": func(f *feed) {
			s := f.reconnect("any")
			time.Sleep(2 * live.Interval)
			s.expect()
		},
		"two times": func(f *feed) { f.reconnect("").expect(); f.reconnect("").expect() },
	} {
		t.Run(name, func(t *testing.T) {
			inFeed(t, func(f *feed) {
				first := f.subscribe("LiLei", "1", ofA())
				f.post("1")
				first.expire()
				f.post("2", "3", "4", "5")
				attempt(f)
				f.post("6")
				again := f.subscribe("LiLei", "1", ofA())
				f.post("7")
				first.expect("1")
				again.expect("2", "3", "4", "5", "6", "7")
			})
		})
	}
}

// The client's original cursor expires while the subscription goes on.
func TestResumedSubscriptionNeedsNoCursor(t *testing.T) {
	inFeed(t, func(f *feed) {
		f.document = `subscription($u: String!, $after: String) {
			twitPosted: twitDeleted(username: $u, after: $after) { content: cursor } }`
		remove := func(name string, age time.Duration) (cursor string) {
			twit := &tables.Twit{AuthorName: "a", PostedAt: time.UnixMilli(1), Name: name}
			d := tables.TwitDeletion{At: time.Now().Add(-age), Twit: twit.Key(), Visibility: tables.Public}
			f.write(d.Put())
			time.Sleep(2 * live.Interval)
			return base64.RawURLEncoding.EncodeToString([]byte("x" + d.Position()))
		}
		variables := map[string]any{"u": "a", "after": remove("0", tables.EventsKept-lifetime)}
		first := f.subscribe("LiLei", "1", variables)
		one := remove("1", 0)
		first.expire()
		two := remove("2", 0)
		again := f.subscribe("LiLei", "1", variables)
		other := f.subscribe("HanMeimei", "1", variables)
		three := remove("3", 0)
		first.expect(one)
		again.expect(two, three)
		other.cancel()
		<-other.done
		if len(other.received) != 1 || other.received[0] != "" {
			t.Errorf("a new subscription after the expired cursor received %q, want an error", other.received)
		}
	})
}
