package feeds_test

import (
	"context"
	"testing"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/writers/feeds"
)

// fans are so many more followers that an author becomes a broadcaster with the next twit.
var fans = numbered("m", limit)

func becomesABroadcaster(w *world, _ []*tables.Twit) {
	w.follows(fans...)
	w.job(tables.Followed, fans[0], "")
	w.posts("many")
	sweeps(w, nil)
}

func ceasesToBeOne(w *world) {
	if related, _, err := tables.Follows.Decode(w.cells(tables.Follows.Get(fans[0], author))); related && err == nil {
		for _, name := range fans {
			w.leaves(name)
		}
		w.job(tables.Unfollowed, fans[0], "")
	}
	w.posts("few")
}

// rests sweeps until nothing rests any more.
func rests(w *world, _ []*tables.Twit) {
	for range 2 {
		w.later(time.Minute)
		sweeps(w, nil)
	}
}

// deaf is a store whose answer is lost when it has put that an author is pushed.
type deaf struct{ hbase.Store }

func (s deaf) CheckAndPut(ctx context.Context, check hbase.Check, put hbase.Put) (bool, error) {
	done, err := s.Store.CheckAndPut(ctx, check, put)
	if put.Table == tables.Broadcasters.Table && string(put.Cells[0].Value) == string(tables.Pushed) {
		return false, hbase.ErrUnavailable
	}
	return done, err
}

// diesPushed does what another gateway was at until that one had lost its lease, to where the author is pushed, and dies.
func diesPushed(w *world, _ []*tables.Twit) {
	w.later(10 * time.Second)
	sweeps(w, nil)
	w.later(time.Minute)
	store := w.Store
	w.Store = deaf{store}
	_ = w.gateway(feeds.Options{Limit: limit}).Sweep(w.Context())
	w.Store = store
}

// crossings are crises in which the author has many followers again, and becomes a broadcaster.
func crossings(begin func(w *world) []*tables.Twit) []crisis {
	return []crisis{
		{"returned while many follow", begin, []func(*world, []*tables.Twit){becomesABroadcaster}, true},
		{"returned while another does, and many follow", begin, []func(*world, []*tables.Twit){diesPushed, becomesABroadcaster}, true},
	}
}

// The job that had the author return is still there when the author has become a broadcaster again.
func TestATwitOfABroadcasterIsNotLostByAnJobThatHadRested(t *testing.T) {
	w := newWorld(t)
	w.follows("Lily")
	w.write(tables.Broadcasters.Put(author, tables.Merged, 1))
	w.posts("first")
	diesPushed(w, nil)
	if w.has("Lily", "first"); w.state() != tables.Pushed || w.open() != 1 {
		t.Fatalf("the author is %s, and %d jobs are left", w.state(), w.open())
	}
	becomesABroadcaster(w, nil)
	rests(w, nil)
	if w.has("Lily", "first"); w.state() != tables.Merged || w.open() != 0 {
		t.Errorf("the author is %s, and %d jobs are left", w.state(), w.open())
	}
	ceasesToBeOne(w)
	sweeps(w, nil)
	w.has("Lily", "few", "many", "first")
}

// outrun is a store in which something is done before a call that changes an author's state, and something after it.
type outrun struct {
	hbase.Store
	before, after func()
}

func (s outrun) CheckAndPut(ctx context.Context, check hbase.Check, put hbase.Put) (bool, error) {
	if put.Table == tables.Broadcasters.Table {
		s.before()
		defer s.after()
	}
	return s.Store.CheckAndPut(ctx, check, put)
}

func TestAnAuthorReturnsThoughTheJobIsLookedAtBeforeItIsWaitedFor(t *testing.T) {
	w := newWorld(t)
	store := w.Store
	w.follows("Lily")
	w.write(tables.Broadcasters.Put(author, tables.Merged, 1))
	w.lists("first")
	w.job(tables.Returned, "", "")
	dead := &mortal{Store: store, meanwhile: func() {}, mishap: 2, what: diesAndLate} // of three writes that by which the author leaves
	w.Store = dead
	_ = w.gateway(feeds.Options{Limit: limit}).Sweep(t.Context())
	w.later(3 * time.Second)
	beside := &world{T: t, Store: store, now: w.now.Add(2 * time.Second)} // when the first one's lease has ended
	w.Store = outrun{store, dead.late, func() { sweeps(beside, nil) }}
	sweeps(w, nil)
	w.Store = store
	rests(w, nil)
	if w.has("Lily", "first"); w.state() != tables.Pushed || w.open() != 0 {
		t.Errorf("the author is %s, and %d jobs are left", w.state(), w.open())
	}
}

// keeper is a store that removes nothing.
type keeper struct{ hbase.Store }

func (s keeper) Mutate(ctx context.Context, mutations []hbase.Mutation) ([]error, error) {
	if _, removes := mutations[0].(hbase.Delete); removes {
		return nil, hbase.ErrUnavailable
	}
	return s.Store.Mutate(ctx, mutations)
}

func TestAnJobThatWasEndedWithoutBringingBringsAllWhenItIsWaitedForAfterAll(t *testing.T) {
	w := newWorld(t)
	store := w.Store
	w.follows("Lily")
	w.write(tables.Broadcasters.Put(author, tables.Merged, 1))
	w.posts("first")
	dead := &mortal{Store: store, meanwhile: func() {}, mishap: 1, what: diesAndLate} // of two writes that by which the author leaves
	w.Store = dead
	_ = w.gateway(feeds.Options{Limit: limit}).Sweep(t.Context())
	w.Store = keeper{store}
	w.follows(fans...)
	w.later(10 * time.Second)
	_ = w.gateway(feeds.Options{Limit: limit}).Sweep(t.Context())
	w.Store = store
	if dead.late(); w.state() == tables.Merged || w.open() != 2 {
		t.Fatalf("the author is %s, and %d jobs are left", w.state(), w.open())
	}
	rests(w, nil)
	if w.has("Lily", "first"); w.state() != tables.Pushed || w.open() != 0 {
		t.Errorf("the author is %s, and %d jobs are left", w.state(), w.open())
	}
}
