package feeds_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"twibase/hbase"
	"twibase/hbase/embedded"
	"twibase/hbase/tables"
	"twibase/writers/feeds"
)

type fixture struct {
	*testing.T
	hbase.Store
	mu   sync.Mutex
	now  time.Time
	jobs uint64
}

const author = "LiLei"

func newStore(t *testing.T) hbase.Store {
	t.Helper()
	store := openStore(t)
	t.Cleanup(func() { store.Close() })
	return store
}

// The caller closes the store, to bound the memory of tests with many stores.
func openStore(t *testing.T) hbase.Store {
	t.Helper()
	store, err := embedded.Open("")
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tables.Definitions(1) {
		if err := store.CreateTable(t.Context(), table); err != nil {
			t.Fatal(err)
		}
	}
	return store
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	return fixtureOver(t, newStore(t))
}

func fixtureOver(t *testing.T, store hbase.Store) *fixture {
	return &fixture{T: t, Store: store, now: time.Date(2015, 2, 17, 12, 0, 0, 0, time.UTC)}
}

func (fx *fixture) gateway(o feeds.Options) *feeds.Feeds {
	o.Workers, o.Now = 1, func() time.Time { return fx.advance(0) }
	return feeds.New(fx, o)
}

func (fx *fixture) write(mutations ...hbase.Mutation) {
	fx.Helper()
	for some := range slices.Chunk(mutations, 1000) {
		errs, err := fx.Mutate(fx.Context(), some)
		if err != nil || errs != nil {
			fx.Fatal(err, errs)
		}
	}
}

func (fx *fixture) cells(get hbase.Get) []hbase.Cell {
	fx.Helper()
	results, err := fx.Get(fx.Context(), []hbase.Get{get})
	if err != nil || results[0].Err != nil {
		fx.Fatal(err, results)
	}
	return results[0].Cells
}

func put[E any](l *tables.List[E], owner string, e E) hbase.Put {
	return hbase.Put{Table: l.Table, Row: l.Row(owner, 0), Cells: []hbase.Cell{l.Cell(e, 1)}}
}

func (fx *fixture) tick() time.Time { return fx.advance(time.Millisecond) }

func (fx *fixture) advance(d time.Duration) time.Time {
	fx.mu.Lock()
	defer fx.mu.Unlock()
	fx.now = fx.now.Add(d)
	return fx.now
}

func (fx *fixture) follow(names ...string) {
	fx.Helper()
	for _, name := range names {
		fx.followAt(name, fx.tick())
	}
	fx.storeFollowerCount()
}

func (fx *fixture) followAt(name string, at time.Time) {
	fx.Helper()
	fx.write(
		tables.Follows.Put(name, author, true, at, at.UnixMilli()),
		put(tables.Followers, author, tables.Follow{Username: name, At: at}),
	)
}

func (fx *fixture) unfollow(name string) {
	fx.Helper()
	_, at, err := tables.Follows.Decode(fx.cells(tables.Follows.Get(name, author)))
	if err != nil {
		fx.Fatal(err)
	}
	end := fx.tick().UnixMilli()
	position := tables.Followers.Position(tables.Follow{Username: name, At: at})
	fx.write(
		tables.Follows.Put(name, author, false, at, end),
		deleteMember(&tables.Followers.AnyList, position, end),
	)
	fx.storeFollowerCount()
}

func deleteMember(list *tables.AnyList, position string, at int64) hbase.Delete {
	deletion := hbase.Deletion{Kind: hbase.AllVersions, Family: list.Family, Qualifier: position, Timestamp: at}
	return hbase.Delete{Table: list.Table, Row: list.Row(author, 0), Columns: []hbase.Deletion{deletion}}
}

func (fx *fixture) storeFollowerCount() {
	fx.Helper()
	n := len(fx.cells(tables.Followers.Get(author, 0, hbase.Page{Stop: tables.MembersEnd})))
	fx.write(tables.Users.Put(author, &tables.User{FollowerCount: &n}, fx.tick().UnixMilli()))
}

func (fx *fixture) putJob(kind tables.JobKind, follower, position string) tables.Job {
	fx.Helper()
	fx.jobs++
	job := tables.Job{
		ID: tables.NewOp(fx.now, fx.jobs), Kind: kind, At: fx.now.UnixMilli(),
		Author: author, Follower: follower, Position: position,
	}
	if kind == tables.Followed {
		_, since, err := tables.Follows.Decode(fx.cells(tables.Follows.Get(follower, author)))
		if job.At = since.UnixMilli(); err != nil {
			fx.Fatal(err)
		}
	}
	fx.write(tables.Jobs.Put(job))
	return job
}

// addTwit stores no job.
func (fx *fixture) addTwit(name string) *tables.Twit {
	fx.Helper()
	t := &tables.Twit{
		AuthorName: author, PostedAt: fx.tick(), Name: name, Content: name, Visibility: tables.Public,
	}
	fx.write(put(tables.Twits, author, t), tables.TwitNames.Put(t, 1))
	return t
}

func (fx *fixture) post(name string) *tables.Twit {
	fx.Helper()
	t := fx.addTwit(name)
	fx.putJob(tables.Posted, "", t.Key().Position)
	return t
}

func (fx *fixture) delete(t *tables.Twit) {
	fx.Helper()
	at := fx.tick().UnixMilli()
	gone := []hbase.Cell{tables.TwitNames.DeletedCell(at)}
	fx.write(
		hbase.Put{Table: tables.TwitNames.Table, Row: tables.RowKey(t.Name), Cells: gone},
		deleteMember(&tables.Twits.AnyList, t.Key().Position, at),
	)
	fx.putJob(tables.Deleted, "", t.Key().Position)
}

func (fx *fixture) sweep(f *feeds.Feeds) {
	fx.Helper()
	if err := f.Sweep(fx.Context()); err != nil {
		fx.Fatal(err)
	}
}

func (fx *fixture) timeline(owner string) (names []string) {
	fx.Helper()
	keys, _, err := tables.Timelines.Decode(owner, fx.cells(tables.Timelines.Get(owner, 0, hbase.Page{})))
	for _, key := range keys {
		_, name, _ := key.Parts()
		names = append(names, name)
	}
	if err != nil {
		fx.Fatal(err)
	}
	return names
}

func (fx *fixture) wantTimeline(owner string, names ...string) {
	fx.Helper()
	if got := fx.timeline(owner); !slices.Equal(got, names) {
		fx.Errorf("got %q in the timeline of %s, want %q", got, owner, names)
	}
}

func (fx *fixture) wantState(want tables.Broadcast, jobs int) {
	fx.Helper()
	if state, n := fx.authorState(), fx.openJobs(); state != want || n != jobs {
		fx.Errorf("got author state %q with %d jobs, want %q with %d", state, n, want, jobs)
	}
}

func (fx *fixture) authorState() tables.Broadcast {
	fx.Helper()
	state, _, err := tables.Broadcasters.State(fx.cells(tables.Broadcasters.Of(author)))
	if err != nil {
		fx.Fatal(err)
	}
	return state
}

func (fx *fixture) openJobs() (n int) {
	fx.Helper()
	for _, err := range fx.Scan(fx.Context(), hbase.Scan{Table: tables.Jobs.Table, Columns: tables.Attributes}) {
		if n++; err != nil {
			fx.Fatal(err)
		}
	}
	return n
}

func numbered(prefix string, n int) (names []string) {
	for i := range n {
		names = append(names, fmt.Sprintf("%s%03d", prefix, i))
	}
	return names
}
