package feeds_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"twibase/hbase"
	"twibase/hbase/embedded"
	"twibase/hbase/tables"
	"twibase/writers/feeds"
	"twibase/writers/outbox"
)

// world is a store with its own time, in which one author posts and others follow.
type world struct {
	*testing.T
	hbase.Store
	mu    sync.Mutex // of now, for those tests in which it goes on with each call
	now   time.Time
	given uint64
}

const author = "LiLei"

// newStore is an empty one, with all tables.
func newStore(t *testing.T) hbase.Store {
	t.Helper()
	store := openStore(t)
	t.Cleanup(func() { store.Close() })
	return store
}

// openStore is one that the caller closes: a test that has made thousands does not keep them.
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

func newWorld(t *testing.T) *world {
	t.Helper()
	return worldOf(t, newStore(t))
}

func worldOf(t *testing.T, store hbase.Store) *world {
	return &world{T: t, Store: store, now: time.Date(2015, 2, 17, 12, 0, 0, 0, time.UTC)}
}

// gateway returns the feeds of another gateway.
func (w *world) gateway(o feeds.Options) *feeds.Feeds {
	o.Workers, o.Now = 1, func() time.Time { return w.later(0) }
	return feeds.New(w, o)
}

func (w *world) write(mutations ...hbase.Mutation) {
	w.Helper()
	for some := range slices.Chunk(mutations, 1000) {
		errs, err := w.Mutate(w.Context(), some)
		if err != nil || errs != nil {
			w.Fatal(err, errs)
		}
	}
}

func (w *world) cells(get hbase.Get) []hbase.Cell {
	w.Helper()
	results, err := w.Get(w.Context(), []hbase.Get{get})
	if err != nil || results[0].Err != nil {
		w.Fatal(err, results)
	}
	return results[0].Cells
}

func put[E any](l *tables.List[E], owner string, e E) hbase.Put {
	return hbase.Put{Table: l.Table, Row: l.Row(owner, 0), Cells: []hbase.Cell{l.Cell(e, 1)}}
}

// later makes time go on, by a millisecond if nothing else is said.
func (w *world) later(d ...time.Duration) time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(d) == 0 {
		d = []time.Duration{time.Millisecond}
	}
	w.now = w.now.Add(d[0])
	return w.now
}

// follows makes users follow the author, as far as writers do before they give the job.
func (w *world) follows(names ...string) {
	w.Helper()
	for _, name := range names {
		at := w.later()
		w.write(tables.Follows.Put(name, author, true, at, at.UnixMilli()), put(tables.Followers, author, tables.Follow{Username: name, At: at}))
	}
	w.count()
}

func (w *world) leaves(name string) {
	w.Helper()
	_, at, err := tables.Follows.Decode(w.cells(tables.Follows.Get(name, author)))
	if err != nil {
		w.Fatal(err)
	}
	w.write(tables.Follows.Put(name, author, false, at, w.later().UnixMilli()), hbase.Delete{Table: tables.Followers.Table, Row: tables.Followers.Row(author, 0),
		Columns: []hbase.Deletion{{Kind: hbase.AllVersions, Family: tables.Followers.Family, Qualifier: tables.Followers.Position(tables.Follow{Username: name, At: at}),
			Timestamp: w.now.UnixMilli()}}})
	w.count()
}

// count writes how many followers there are.
func (w *world) count() {
	w.Helper()
	n := len(w.cells(tables.Followers.Get(author, 0, hbase.Page{Stop: tables.MembersEnd})))
	w.write(tables.Users.Put(author, &tables.User{FollowerCount: &n}, w.later().UnixMilli()))
}

// job gives one.
func (w *world) job(kind tables.JobKind, follower, position string) tables.Job {
	w.Helper()
	w.given++
	e := tables.Job{ID: tables.NewOp(w.now, w.given), Kind: kind, At: w.now.UnixMilli(), Author: author, Follower: follower, Position: position}
	if kind == tables.Followed {
		_, since, err := tables.Follows.Decode(w.cells(tables.Follows.Get(follower, author)))
		if e.At = since.UnixMilli(); err != nil {
			w.Fatal(err)
		}
	}
	w.write(tables.Jobs.Put(e))
	return e
}

// lists puts a twit into the author's list.
func (w *world) lists(name string) *tables.Twit {
	w.Helper()
	t := &tables.Twit{AuthorName: author, PostedAt: w.later(), Name: name, Content: name, Visibility: tables.Public}
	w.write(put(tables.Twits, author, t), tables.TwitNames.Put(t, 1))
	return t
}

// posts puts a twit into the author's list, and gives the job.
func (w *world) posts(name string) *tables.Twit {
	w.Helper()
	t := w.lists(name)
	w.job(tables.Posted, "", t.Key().Position)
	return t
}

// deletes takes a twit out of the author's list, and gives the job.
func (w *world) deletes(t *tables.Twit) {
	w.Helper()
	at := w.later().UnixMilli()
	w.write(hbase.Put{Table: tables.TwitNames.Table, Row: tables.RowKey(t.Name), Cells: []hbase.Cell{tables.TwitNames.Gone(at)}},
		hbase.Delete{Table: tables.Twits.Table, Row: tables.Twits.Row(author, 0), Columns: []hbase.Deletion{
			{Kind: hbase.AllVersions, Family: tables.Twits.Family, Qualifier: t.Key().Position, Timestamp: at}}})
	w.job(tables.Deleted, "", t.Key().Position)
}

func (w *world) sweep(f *feeds.Feeds) {
	w.Helper()
	if err := f.Sweep(w.Context()); err != nil {
		w.Fatal(err)
	}
}

// timeline is the names of the twits in somebody's, newest first.
func (w *world) timeline(owner string) (names []string) {
	w.Helper()
	keys, _, _, err := tables.Timelines.Decode(owner, w.cells(tables.Timelines.Get(owner, 0, hbase.Page{})))
	for _, key := range keys {
		_, name, _ := key.Parts()
		names = append(names, name)
	}
	if err != nil {
		w.Fatal(err)
	}
	return names
}

func (w *world) has(owner string, names ...string) {
	w.Helper()
	if got := w.timeline(owner); !slices.Equal(got, names) {
		w.Errorf("the timeline of %s has %q, and should have %q", owner, got, names)
	}
}

func (w *world) state() tables.Broadcast {
	w.Helper()
	state, _, err := tables.Broadcasters.State(w.cells(tables.Broadcasters.Of(author)))
	if err != nil {
		w.Fatal(err)
	}
	return state
}

// open is how many jobs are not done.
func (w *world) open() (n int) {
	w.Helper()
	for _, err := range w.Scan(w.Context(), hbase.Scan{Table: tables.Jobs.Table, Columns: tables.Attributes}) {
		if n++; err != nil {
			w.Fatal(err)
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

func TestATwitComesIntoTheTimelinesOfAllWhoFollow(t *testing.T) {
	w := newWorld(t)
	names := numbered("f", 25)
	w.follows(names...)
	// The list goes on in a further row.
	var moved []hbase.Cell
	list := w.cells(tables.Followers.Get(author, 0, hbase.Page{Stop: tables.MembersEnd}))
	moved = append(moved, list[10:]...)
	w.write(hbase.Put{Table: tables.Followers.Table, Row: tables.Followers.Row(author, 7), Cells: moved},
		hbase.Put{Table: tables.Followers.Table, Row: tables.Followers.Row(author, 0), Cells: []hbase.Cell{
			tables.Followers.BucketCell(tables.Bucket{Number: 7, Start: list[10].Qualifier}, 1)}})
	w.posts("a")
	w.posts("b")
	w.sweep(w.gateway(feeds.Options{BatchSize: 4}))
	for _, name := range names {
		w.has(name, "b", "a")
	}
	if n := w.open(); n > 0 {
		t.Errorf("%d jobs are left", n)
	}
}

func TestWhoFollowsHasWhatWasPostedBeforeUntilTheyUnfollow(t *testing.T) {
	w := newWorld(t)
	f := w.gateway(feeds.Options{BatchSize: 2})
	twits := numbered("t", 5)
	for _, name := range twits {
		w.posts(name)
	}
	w.sweep(f)
	slices.Reverse(twits)
	for i := range 2 { // and again
		w.follows("Lucy")
		w.job(tables.Followed, "Lucy", "")
		w.sweep(f)
		w.has("Lucy", twits...)
		name := fmt.Sprint("then", i)
		w.posts(name)
		twits = append([]string{name}, twits...)
		w.sweep(f)
		w.has("Lucy", twits...)
		w.leaves("Lucy")
		w.job(tables.Unfollowed, "Lucy", "")
		w.sweep(f)
		w.has("Lucy")
	}
}

func TestATimelineKeepsItsNewest(t *testing.T) {
	w := newWorld(t)
	w.follows("Lucy")
	const bound = 50
	f := w.gateway(feeds.Options{TimelineBound: bound, BatchSize: 7})
	var names []string
	for _, name := range numbered("t", 8*bound) {
		w.posts(name)
		w.sweep(f)
		names = append([]string{name}, names...)
		if got := w.timeline("Lucy"); len(got) > 2*bound || len(got) < min(bound, len(names)) || !slices.Equal(got, names[:len(got)]) {
			t.Fatalf("after %d posts there are %q", len(names), got)
		}
	}
	w.follows("小红")
	w.job(tables.Followed, "小红", "")
	w.sweep(f)
	w.has("小红", names[:bound]...)
}

func TestAnAuthorWithTooManyFollowersIsMergedAndReturns(t *testing.T) {
	w := newWorld(t)
	f := w.gateway(feeds.Options{Limit: 4, BatchSize: 2})
	w.follows("a", "b", "c", "d")
	w.posts("pushed")
	w.sweep(f)
	w.has("a", "pushed")
	w.follows("e")
	w.posts("merged")
	w.sweep(f)
	if w.has("a", "pushed"); w.state() != tables.Merged {
		t.Error(w.state())
	}
	for _, name := range []string{"b", "c", "d"} {
		w.leaves(name)
	}
	w.posts("some")
	w.sweep(f)
	if w.has("a", "pushed"); w.state() != tables.Merged {
		t.Error("two of four are not few: ", w.state())
	}
	w.leaves("e")
	w.posts("returned")
	w.sweep(f)
	w.has("a", "returned", "some", "merged", "pushed")
	// Who read the timeline before all that was there may still be about to look who is a broadcaster.
	w.later(39 * time.Second)
	w.sweep(f)
	if _, leaving := w.state().Leaving(); !leaving || w.open() != 1 || f.Lag() != (outbox.Lag{}) {
		t.Errorf("%s, with %d jobs, and %v", w.state(), w.open(), f.Lag())
	}
	w.posts("meanwhile")
	w.sweep(f)
	w.has("a", "meanwhile", "returned", "some", "merged", "pushed")
	w.later(time.Second)
	w.sweep(w.gateway(feeds.Options{Limit: 4}))
	if w.state() != tables.Pushed || w.open() != 0 {
		t.Errorf("%s, with %d jobs", w.state(), w.open())
	}
}

// falseOnce is a store that forgets that it made the first change of an author's state.
type falseOnce struct {
	hbase.Store
	forgot bool
}

func (s *falseOnce) CheckAndPut(ctx context.Context, check hbase.Check, put hbase.Put) (bool, error) {
	done, err := s.Store.CheckAndPut(ctx, check, put)
	if put.Table == tables.Broadcasters.Table && !s.forgot {
		s.forgot = true
		return false, err
	}
	return done, err
}

func TestAnAuthorReturnsThoughTheAnswerIsLost(t *testing.T) {
	w := newWorld(t)
	store := w.Store
	w.follows("a")
	w.write(tables.Broadcasters.Put(author, tables.Merged, 1))
	w.posts("x")
	w.Store = &falseOnce{Store: store}
	w.sweep(w.gateway(feeds.Options{Limit: 4}))
	w.has("a", "x")
	w.later(time.Minute)
	w.Store = &falseOnce{Store: store}
	w.sweep(w.gateway(feeds.Options{Limit: 4}))
	if w.state() != tables.Pushed || w.open() != 0 {
		t.Errorf("%s, with %d jobs", w.state(), w.open())
	}
}

func TestAStateWhoseJobIsGoneEndsWithTheNextTwit(t *testing.T) {
	w := newWorld(t)
	w.follows("a")
	w.write(tables.Broadcasters.Put(author, tables.Leaving(tables.NewOp(w.now, 99)), 1))
	w.posts("x")
	f := w.gateway(feeds.Options{Limit: 4})
	w.sweep(f)
	w.has("a", "x")
	w.later(time.Minute)
	w.sweep(f)
	if w.state() != tables.Pushed || w.open() != 0 {
		t.Errorf("%s, with %d jobs", w.state(), w.open())
	}
}
