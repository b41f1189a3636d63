package hops

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"twibase/hbase"
	"twibase/hbase/embedded"
	"twibase/hbase/tables"
	"twibase/live"
	"twibase/resolvers"
)

// world is a store in which twits come late and in any order into the timeline of a fan, and the gateways over it. All is in a time of its own.
type world struct {
	*testing.T
	store    *embedded.Store
	random   *rand.Rand
	ctx      context.Context // of the gateways
	gateways []*gateway

	mu         sync.Mutex
	posted     map[tables.TwitKey]time.Time // when each was written
	pending    map[tables.TwitKey]time.Time // the times of those that are on their way to the timeline
	gone       map[tables.TwitKey]time.Time // when each was deleted
	unfollowed time.Time                    // when the fan stopped following b
	left       chan struct{}                // is closed when the next subscriber leaves
	over       bool                         // nothing comes any more

	told   sync.Mutex
	faults []string
}

// Errorf notes what is wrong: only of the smallest history in which anything is the test tells.
func (w *world) Errorf(format string, args ...any) {
	w.told.Lock()
	defer w.told.Unlock()
	w.faults = append(w.faults, fmt.Sprintf(format, args...))
}

// gateway is one of three.
type gateway struct {
	*resolvers.Resolver
	link  *link
	ahead time.Duration // its clock
}

// The authors, of whom the fan follows all. What a broadcaster posts comes into no timeline.
const (
	fan         = "fan"
	author      = "a"
	other       = "b"
	broadcaster = "c"
)

func newWorld(t *testing.T, seed uint64) *world {
	store, err := embedded.Open("")
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tables.Definitions(1) {
		if err := store.CreateTable(t.Context(), table); err != nil {
			t.Fatal(err)
		}
	}
	w := &world{T: t, store: store, random: rand.New(rand.NewPCG(seed, 1)), left: make(chan struct{}),
		posted: map[tables.TwitKey]time.Time{}, pending: map[tables.TwitKey]time.Time{}, gone: map[tables.TwitKey]time.Time{}}
	_, merged := tables.Broadcasters.Change(broadcaster, tables.Pushed, false, tables.Merged)
	w.write(merged)
	for _, name := range []string{author, other, broadcaster, fan} {
		w.write(tables.Users.Put(name, &tables.User{Username: name, Name: &name}, 1), w.follows(name, true))
	}
	return w
}

func (w *world) follows(name string, does bool) hbase.Mutation {
	return tables.Follows.Put(fan, name, does, time.UnixMilli(1), map[bool]int64{true: 1, false: 2}[does])
}

func (w *world) write(mutations ...hbase.Mutation) {
	if errs, err := w.store.Mutate(context.Background(), mutations); err != nil || errs != nil {
		w.Errorf("writing: %v, %v", errs, err)
	}
}

// starts starts a gateway, whose clock is at most two seconds and a half from the true time.
func (w *world) starts(running *sync.WaitGroup) {
	g := &gateway{ahead: oneOf[time.Duration](w.random, -2500, 0, 2500) * time.Millisecond,
		link: &link{Store: w.store, first: make(chan string), random: rand.New(rand.NewPCG(w.random.Uint64(), 1)), lost: map[string]time.Time{}}}
	fresh := func(ctx context.Context) context.Context { return watchdog.With(ctx, g.link) }
	p := live.New(g.link, live.Options{Visible: resolvers.Visible(fresh), Interval: oneOf[time.Duration](w.random, 200, 500, 900) * time.Millisecond,
		OldestFanout: w.behind, Now: func() time.Time { return time.Now().Add(g.ahead) }})
	g.Resolver = &resolvers.Resolver{Live: p, Fresh: fresh}
	w.gateways = append(w.gateways, g)
	pause := time.Duration(w.random.IntN(500)) * time.Millisecond
	running.Go(func() {
		time.Sleep(pause)
		p.Run(w.ctx)
	})
}

// behind is since when a twit is on its way.
func (w *world) behind() (oldest time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, at := range w.pending {
		if oldest.IsZero() || at.Before(oldest) {
			oldest = at
		}
	}
	return oldest
}

// decides makes a twit, whose time is that of a gateway's clock.
func (w *world) decides(by string, g *gateway) *tables.Twit {
	w.mu.Lock()
	defer w.mu.Unlock()
	return &tables.Twit{AuthorName: by, PostedAt: time.Now().Add(g.ahead).Truncate(time.Millisecond), Visibility: tables.Public,
		Name: fmt.Sprint(by, w.random.Uint32())}
}

// posts puts a twit into its author's list. From then on it is on its way to the timeline.
func (w *world) posts(twit *tables.Twit) {
	w.write(hbase.Put{Table: tables.Twits.Table, Row: tables.Twits.Row(twit.AuthorName, 0), Cells: []hbase.Cell{tables.Twits.Cell(twit, 1)}},
		tables.TwitNames.Put(twit, 1))
	w.mu.Lock()
	defer w.mu.Unlock()
	w.posted[twit.Key()] = time.Now()
	if twit.AuthorName != broadcaster {
		w.pending[twit.Key()] = twit.PostedAt
	}
}

// arrives puts a twit into the timeline.
func (w *world) arrives(key tables.TwitKey) {
	w.write(hbase.Put{Table: tables.Timelines.Table, Row: tables.Timelines.Row(fan, 0), Cells: []hbase.Cell{tables.Timelines.Cell(key, 1)}})
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.pending, key)
}

// deletes deletes a twit, wherever it is.
func (w *world) deletes(key tables.TwitKey) {
	column := func(table, row, family, qualifier string) hbase.Mutation {
		return hbase.Delete{Table: table, Row: row, Columns: []hbase.Deletion{
			{Kind: hbase.AllVersions, Family: family, Qualifier: qualifier, Timestamp: tables.Forever}}}
	}
	w.write(column(tables.Twits.Table, tables.Twits.Row(key.Author, 0), tables.Twits.Family, key.Position),
		column(tables.Timelines.Table, tables.Timelines.Row(fan, 0), tables.Timelines.Family, tables.Timelines.Position(key)))
	w.mu.Lock()
	defer w.mu.Unlock()
	w.gone[key] = time.Now()
}

func (w *world) unfollows() {
	w.write(w.follows(other, false))
	w.mu.Lock()
	defer w.mu.Unlock()
	w.unfollowed = time.Now()
}

// visible reports whether a twit is to be told of in a row, and since when it is not, the zero time if it is.
func (w *world) visible(kind live.Kind, key tables.TwitKey) (yes bool, since time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	since = w.gone[key]
	if kind == live.Timeline && key.Author == other && since.IsZero() {
		since = w.unfollowed
	}
	return since.IsZero() && (kind == live.Timeline || key.Author == author), since
}
