package reconnect

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

type fixture struct {
	*testing.T
	store    *embedded.Store
	random   *rand.Rand
	ctx      context.Context
	gateways []*gateway

	mu           sync.Mutex
	posted       map[tables.TwitKey]time.Time // time of the write
	undelivered  map[tables.TwitKey]time.Time // twit's own time
	deleted      map[tables.TwitKey]time.Time
	unfollowed   time.Time     // when the fan unfollowed other
	disconnected chan struct{} // closed when the next subscriber disconnects
	finished     bool

	failuresMu sync.Mutex
	failures   []string
}

// Errorf records a failure. The test reports those of the smallest failing history.
func (f *fixture) Errorf(format string, args ...any) {
	f.failuresMu.Lock()
	defer f.failuresMu.Unlock()
	f.failures = append(f.failures, fmt.Sprintf(format, args...))
}

func (f *fixture) isFinished() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.finished
}

type gateway struct {
	*resolvers.Resolver
	store     *faultyStore
	clockSkew time.Duration
}

// The fan follows all three authors. Readers merge the broadcaster's twits.
const (
	fan         = "fan"
	author      = "a"
	other       = "b"
	broadcaster = "c"
)

func newFixture(t *testing.T, seed uint64) *fixture {
	store, err := embedded.Open("")
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tables.Definitions(1) {
		if err := store.CreateTable(t.Context(), table); err != nil {
			t.Fatal(err)
		}
	}
	f := &fixture{
		T:            t,
		store:        store,
		random:       rand.New(rand.NewPCG(seed, 1)),
		posted:       map[tables.TwitKey]time.Time{},
		undelivered:  map[tables.TwitKey]time.Time{},
		deleted:      map[tables.TwitKey]time.Time{},
		disconnected: make(chan struct{}),
	}
	_, merged := tables.Broadcasters.Change(broadcaster, tables.Pushed, false, tables.Merged)
	f.write(merged)
	for _, name := range []string{author, other, broadcaster, fan} {
		f.write(tables.Users.Put(name, &tables.User{Username: name, Name: &name}, 1), f.follow(name, true))
	}
	return f
}

func (f *fixture) follow(name string, follows bool) hbase.Mutation {
	return tables.Follows.Put(fan, name, follows, time.UnixMilli(1), map[bool]int64{true: 1, false: 2}[follows])
}

func (f *fixture) write(mutations ...hbase.Mutation) {
	if errs, err := f.store.Mutate(context.Background(), mutations); err != nil || errs != nil {
		f.Errorf("writing: %v, %v", errs, err)
	}
}

func (f *fixture) startGateway(running *sync.WaitGroup) {
	skew := oneOf[time.Duration](f.random, -2500, 0, 2500) * time.Millisecond
	store := &faultyStore{
		Store:         f.store,
		firstRead:     make(chan string),
		random:        rand.New(rand.NewPCG(f.random.Uint64(), 1)),
		rowsFailUntil: map[string]time.Time{},
	}
	newLoaders := func(ctx context.Context) context.Context { return watchdog.With(ctx, store) }
	poller := live.New(store, live.Options{
		Visible:      resolvers.Visible(newLoaders),
		Interval:     oneOf[time.Duration](f.random, 200, 500, 900) * time.Millisecond,
		PendingSince: func() []time.Time { return []time.Time{f.oldestFanout()} },
		Now:          func() time.Time { return time.Now().Add(skew) },
	})
	f.gateways = append(f.gateways, &gateway{
		Resolver:  &resolvers.Resolver{Live: poller, WithLoaders: newLoaders},
		store:     store,
		clockSkew: skew,
	})
	pause := time.Duration(f.random.IntN(500)) * time.Millisecond
	running.Go(func() {
		time.Sleep(pause)
		poller.Run(f.ctx)
	})
}

func (f *fixture) oldestFanout() (oldest time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, at := range f.undelivered {
		if oldest.IsZero() || at.Before(oldest) {
			oldest = at
		}
	}
	return oldest
}

func (f *fixture) newTwit(by string, g *gateway) *tables.Twit {
	f.mu.Lock()
	defer f.mu.Unlock()
	return &tables.Twit{
		AuthorName: by,
		PostedAt:   time.Now().Add(g.clockSkew).Truncate(time.Millisecond),
		Visibility: tables.Public,
		Name:       fmt.Sprint(by, f.random.Uint32()),
	}
}

func (f *fixture) post(twit *tables.Twit) {
	f.write(hbase.Put{
		Table: tables.Twits.Table,
		Row:   tables.Twits.Row(twit.AuthorName, 0),
		Cells: []hbase.Cell{tables.Twits.Cell(twit, 1)},
	}, tables.TwitNames.Put(twit, 1))
	f.mu.Lock()
	defer f.mu.Unlock()
	f.posted[twit.Key()] = time.Now()
	if twit.AuthorName != broadcaster {
		f.undelivered[twit.Key()] = twit.PostedAt
	}
}

func (f *fixture) deliver(key tables.TwitKey) {
	f.write(hbase.Put{
		Table: tables.Timelines.Table,
		Row:   tables.Timelines.Row(fan, 0),
		Cells: []hbase.Cell{tables.Timelines.Cell(key, 1)},
	})
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.undelivered, key)
}

func (f *fixture) delete(key tables.TwitKey) {
	column := func(table, row, family, qualifier string) hbase.Mutation {
		return hbase.Delete{Table: table, Row: row, Columns: []hbase.Deletion{
			{Kind: hbase.AllVersions, Family: family, Qualifier: qualifier, Timestamp: tables.Forever}}}
	}
	f.write(column(tables.Twits.Table, tables.Twits.Row(key.Author, 0), tables.Twits.Family, key.Position),
		column(tables.Timelines.Table, tables.Timelines.Row(fan, 0), tables.Timelines.Family, tables.Timelines.Position(key)))
	f.mu.Lock()
	defer f.mu.Unlock()
	f.deleted[key] = time.Now()
}

func (f *fixture) unfollow() {
	f.write(f.follow(other, false))
	f.mu.Lock()
	defer f.mu.Unlock()
	f.unfollowed = time.Now()
}

// hidden is the time when the twit was deleted, or its author unfollowed.
func (f *fixture) visible(kind live.Kind, key tables.TwitKey) (visible bool, hidden time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	hidden = f.deleted[key]
	if kind == live.Timeline && key.Author == other && hidden.IsZero() {
		hidden = f.unfollowed
	}
	return hidden.IsZero() && (kind == live.Timeline || key.Author == author), hidden
}
