package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"twibase/graph/auth"
	"twibase/hbase"
	"twibase/hbase/embedded"
	"twibase/hbase/tables"
	"twibase/loaders"
	"twibase/news"
	"twibase/resolvers"
)

// hops is a store in which twits come late and in any order into the timeline of a fan, who listens at one gateway after the other. All is in a time
// of its own.
type hops struct {
	*testing.T
	store    *embedded.Store
	random   *rand.Rand
	gateways []*resolvers.Resolver
	clocks   []time.Duration // how far that of each gateway is ahead

	mu sync.Mutex
	// pending are the twits that are on their way to the timeline, with their times; posted all there are of each author.
	pending map[string]time.Time
	posted  map[string][]tables.TwitKey
	over    bool // nothing comes any more
}

// broadcaster is the author whose twits come into no timeline.
const broadcaster = "c"

// TestWhoHopsBetweenGatewaysMissesNothing has subscribers come back elsewhere with the last twit that they were told of. The gateways have different
// clocks and look at different moments; what is posted comes soon, late, or after minutes.
func TestWhoHopsBetweenGatewaysMissesNothing(t *testing.T) {
	seed := rand.Uint64() >> 20
	t.Logf("the first seed is %d", seed)
	told, doubles := 0, 0
	for i := range hopHistories() {
		synctest.Test(t, func(t *testing.T) {
			h := newHops(t, seed+uint64(i))
			defer h.store.Close()
			ctx, end := context.WithCancel(t.Context())
			var running sync.WaitGroup
			for g := range 3 {
				h.start(ctx, &running, g)
			}
			first := h.posts("a", 0)
			h.arrives(first)
			time.Sleep(time.Second)
			var all sync.WaitGroup
			for _, kind := range []news.Kind{news.Posts, news.Timeline} {
				random := rand.New(rand.NewPCG(h.random.Uint64(), 1))
				all.Go(func() {
					heard, times := h.listens(ctx, kind, random, first)
					for _, author := range []string{"a", "b", broadcaster} {
						for _, key := range h.posted[author] {
							if at, name, _ := key.Parts(); !heard[key] && key != first && (kind == news.Timeline || author == "a") {
								t.Errorf("seed %d: whoever listens to %v was not told of %s by %s, of %v", seed+uint64(i), kind, name, author, at)
							}
						}
					}
					h.mu.Lock()
					defer h.mu.Unlock()
					told, doubles = told+len(heard), doubles+times-len(heard)
				})
			}
			h.happens()
			all.Wait()
			end()
			running.Wait()
		})
	}
	t.Logf("%d twits were told, and %d once more", told, doubles)
}

// hopHistories is how many there are: more under make test, which sets CI.
func hopHistories() int {
	if os.Getenv("CI") == "" {
		return 30
	}
	return 600
}

func newHops(t *testing.T, seed uint64) *hops {
	store, err := embedded.Open("")
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tables.Definitions(1) {
		if err := store.CreateTable(t.Context(), table); err != nil {
			t.Fatal(err)
		}
	}
	h := &hops{T: t, store: store, random: rand.New(rand.NewPCG(seed, 1)), pending: map[string]time.Time{}, posted: map[string][]tables.TwitKey{}}
	_, merged := tables.Broadcasters.Change(broadcaster, tables.Pushed, false, tables.Merged)
	h.write(merged)
	for _, name := range []string{"a", "b", broadcaster, "fan"} {
		h.write(tables.Users.Put(name, &tables.User{Username: name, Name: &name}, 1), tables.Follows.Put("fan", name, true, time.UnixMilli(1), 1))
	}
	return h
}

func (h *hops) write(mutations ...hbase.Mutation) {
	if errs, err := h.store.Mutate(context.Background(), mutations); err != nil || errs != nil {
		h.Error(errs, err)
	}
}

// start starts a gateway, whose clock is at most two seconds and a half from the true time.
func (h *hops) start(ctx context.Context, running *sync.WaitGroup, g int) {
	ahead := time.Duration(h.random.IntN(5000)-2500) * time.Millisecond
	fresh := func(ctx context.Context) context.Context { return loaders.With(ctx, h.store) }
	p := news.New(h.store, news.Options{See: resolvers.See(fresh), Interval: time.Duration(200+h.random.IntN(600)) * time.Millisecond,
		Behind: h.behind, Now: func() time.Time { return time.Now().Add(ahead) }})
	h.gateways, h.clocks = append(h.gateways, &resolvers.Resolver{News: p, Fresh: fresh}), append(h.clocks, ahead)
	pause := time.Duration(h.random.IntN(500)) * time.Millisecond
	running.Go(func() {
		time.Sleep(pause)
		p.Run(ctx)
	})
}

// behind is since when a twit is on its way.
func (h *hops) behind() (oldest time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, at := range h.pending {
		if oldest.IsZero() || at.Before(oldest) {
			oldest = at
		}
	}
	return oldest
}

// posts puts a twit into its author's list, by the clock of a gateway.
func (h *hops) posts(author string, gateway int) tables.TwitKey {
	h.mu.Lock()
	defer h.mu.Unlock()
	twit := &tables.Twit{AuthorName: author, PostedAt: time.Now().Add(h.clocks[gateway]).Truncate(time.Millisecond), Visibility: tables.Public,
		Name: fmt.Sprint(author, len(h.posted[author]))}
	h.posted[author] = append(h.posted[author], twit.Key())
	if author != broadcaster {
		h.pending[twit.Name] = twit.PostedAt
	}
	h.write(hbase.Put{Table: tables.Twits.Table, Row: tables.Twits.Row(author, 0), Cells: []hbase.Cell{tables.Twits.Cell(twit, 1)}},
		tables.TwitNames.Put(twit, 1))
	return twit.Key()
}

// arrives puts a twit into the timeline.
func (h *hops) arrives(key tables.TwitKey) {
	h.write(hbase.Put{Table: tables.Timelines.Table, Row: tables.Timelines.Row("fan", 0), Cells: []hbase.Cell{tables.Timelines.Cell(key, 1)}})
	h.mu.Lock()
	defer h.mu.Unlock()
	_, name, _ := key.Parts()
	delete(h.pending, name)
}

// happens is what is posted.
func (h *hops) happens() {
	var late sync.WaitGroup
	for range 60 {
		time.Sleep(time.Duration(h.random.IntN(3000)) * time.Millisecond)
		author := []string{"a", "a", "b", broadcaster}[h.random.IntN(4)]
		key := h.posts(author, h.random.IntN(len(h.gateways)))
		if author == broadcaster {
			continue
		}
		most := []int{10, 500, 500, 500, 5_000, 25_000, 100_000, 300_000}[h.random.IntN(8)]
		delay := time.Duration(h.random.IntN(most)) * time.Millisecond
		late.Go(func() {
			time.Sleep(delay)
			h.arrives(key)
		})
	}
	late.Wait()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.over = true
}

func (h *hops) isOver() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.over
}

// listens subscribes here and there until it has listened once when nothing comes any more, and returns what was told, and how often.
func (h *hops) listens(ctx context.Context, kind news.Kind, random *rand.Rand, after tables.TwitKey) (heard map[tables.TwitKey]bool, times int) {
	heard = map[tables.TwitKey]bool{}
	for last := false; !last; {
		last = h.isOver()
		most, until := random.IntN(8), []time.Duration{time.Second, 5 * time.Second, 20 * time.Second, time.Minute}[random.IntN(4)]
		if last {
			most, until = 1000, time.Minute
		}
		for _, key := range h.visit(ctx, kind, random.IntN(len(h.gateways)), after, most, until) {
			after, heard[key] = key, true
			times++
		}
		time.Sleep([]time.Duration{0, 0, 0, time.Second, 3 * time.Second, 30 * time.Second, 11 * time.Minute}[random.IntN(7)])
	}
	return heard, times
}

// visit subscribes at a gateway, and leaves after a while or when so many were told.
func (h *hops) visit(ctx context.Context, kind news.Kind, gateway int, after tables.TwitKey, most int, while time.Duration) (told []tables.TwitKey) {
	ctx, cancel := context.WithCancel(auth.WithViewer(ctx, auth.Viewer{Username: "fan"}))
	defer cancel()
	s, id := h.gateways[gateway].Subscription(), tables.ID{Noun: tables.NounTwit, Key: after.String()}
	subscribe := s.TimelineTwitAdded
	if kind == news.Posts {
		subscribe = func(ctx context.Context, after *tables.ID) (<-chan *tables.Twit, error) {
			return s.TwitPosted(ctx, "a", after)
		}
	}
	events, err := subscribe(ctx, &id)
	if err != nil {
		h.Error(err)
	}
	for leaves := time.After(while); len(told) < most; {
		select {
		case t, open := <-events:
			if !open {
				h.Error("the subscription ended")
				return told
			}
			told = append(told, t.Key())
		case <-leaves:
			return told
		}
	}
	return told
}
