package feeds_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/writers/feeds"
)

// mishap is what becomes of a gateway at a call of the store. One that dies before a call died after the call before.
type mishap int

const (
	diesAfter    mishap = iota
	diesAndLater        // the call is done when another gateway has gone on with the job
	failsAndLate        // the gateway is told of an error, and lives
	failsDone
	fails
	diesInPart  // of what it wrote together, a half is done
	diesAndLate // the call is done when the gateway is long dead, before another one goes on
	mishaps
)

func (m mishap) String() string {
	return [...]string{"dies after", "dies, and the call comes behind another gateway", "fails, and the call comes late", "fails and is done", "fails",
		"dies in part", "dies, and the call comes late"}[m]
}

// comes is at which calls, those that read or not, it may happen: no reading is late.
func (m mishap) comes() []bool {
	if m == diesAfter || m == fails {
		return []bool{false, true}
	}
	return []bool{false}
}

// dies reports whether the gateway does not go on.
func (m mishap) dies() bool { return m != failsAndLate && m != failsDone && m != fails }

var each = flag.Bool("each", false, "try each mishap at each call, at whichever call others do something")

// tried is how many entries are written together, part of the twits for a follower or all, and which mishaps are tried, and at one in how many calls:
// at others for each call at which others do something. Under make test, which sets CI, they are more, and with -each all.
func tried() (chunks []int, step int, of mishap) {
	switch {
	case *each:
		return []int{2, 3}, 1, mishaps
	case os.Getenv("CI") != "":
		return []int{2, 3}, 5, mishaps
	}
	return []int{3}, 11, failsDone
}

var errDead = errors.New("the gateway is dead")

// mortal is the store as a gateway sees it to which something happens at a call, and others do something at an earlier one or the same.
type mortal struct {
	hbase.Store
	meanwhile func()
	// at is the call at which others do something, counted from the first. What happens does so at one of those that read, or that write, counted
	// from there: writing and looking go on side by side, so a call that is counted from the first is not the same each time.
	at, mishap int
	reads      bool
	what       mishap

	mu           sync.Mutex // calls are made one after the other
	calls, since int
	struck, dead bool
	late         func()
}

// call makes a call, of which do makes a part if it is asked for less than the whole.
func (m *mortal) call(writes bool, do func(part bool) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.dead {
		return errDead
	}
	if m.calls == m.at {
		m.meanwhile()
	}
	m.calls++
	if m.calls <= m.at || writes == m.reads {
		return do(false)
	}
	if m.since++; m.since-1 != m.mishap {
		return do(false)
	}
	m.struck, m.dead = true, m.what.dies()
	switch m.what {
	case diesAndLate, diesAndLater, failsAndLate:
		m.late = func() { _ = do(false) }
	case diesAfter, failsDone:
		_ = do(false)
	case diesInPart:
		_ = do(true)
	}
	return errors.Join(errDead, hbase.ErrUnavailable)
}

func (m *mortal) Get(ctx context.Context, gets []hbase.Get) (results []hbase.Result, err error) {
	err = m.call(false, func(bool) (err error) {
		results, err = m.Store.Get(ctx, gets)
		return err
	})
	return results, err
}

func (m *mortal) Mutate(ctx context.Context, mutations []hbase.Mutation) (errs []error, err error) {
	err = m.call(true, func(part bool) (err error) {
		if part {
			mutations = mutations[:len(mutations)/2]
		}
		errs, err = m.Store.Mutate(ctx, mutations)
		return err
	})
	return errs, err
}

func (m *mortal) CheckAndPut(ctx context.Context, check hbase.Check, put hbase.Put) (done bool, err error) {
	err = m.call(true, func(bool) (err error) {
		done, err = m.Store.CheckAndPut(ctx, check, put)
		return err
	})
	return done && err == nil, err
}

// crisis is what a job is about, and what happens while it is done.
type crisis struct {
	name  string
	begin func(w *world) []*tables.Twit
	// meanwhile is what others do.
	meanwhile []func(w *world, twits []*tables.Twit)
	// crosses is whether the author may be a broadcaster then.
	crosses bool
}

// limit is how many followers an author may have who is no broadcaster.
const limit = 10

func deletesNewest(w *world, twits []*tables.Twit) { w.deletes(twits[len(twits)-1]) }

func unfollows(w *world, _ []*tables.Twit) {
	w.leaves("Lucy")
	w.job(tables.Unfollowed, "Lucy", "")
}

func follows(w *world, _ []*tables.Twit) {
	w.follows("late")
	w.job(tables.Followed, "late", "")
}

// followsLast is by a clock that is behind, so that who follows is among those who are still to be met.
func followsLast(w *world, _ []*tables.Twit) {
	at := time.Unix(1, 0)
	w.write(tables.Follows.Put("late", author, true, at, at.UnixMilli()), put(tables.Followers, author, tables.Follow{Username: "late", At: at}))
	w.job(tables.Followed, "late", "")
}

// sweeps does in the background what follows.
func sweeps(w *world, _ []*tables.Twit) { w.sweep(w.gateway(feeds.Options{Limit: limit})) }

func crises() (all []crisis) {
	for name, begin := range map[string]func(w *world) []*tables.Twit{
		"posted": func(w *world) []*tables.Twit {
			w.follows("Lily", "Lucy", "Zoe")
			return []*tables.Twit{w.posts("x")}
		},
		"followed": func(w *world) (twits []*tables.Twit) {
			w.follows("Lily")
			for _, name := range numbered("t", 3) {
				twits = append(twits, w.posts(name))
			}
			w.sweep(w.gateway(feeds.Options{}))
			w.follows("Lucy")
			w.job(tables.Followed, "Lucy", "")
			return twits
		},
		"returned": func(w *world) (twits []*tables.Twit) {
			w.follows("Lily", "Lucy", "Zoe")
			w.write(tables.Broadcasters.Put(author, tables.Merged, 1))
			for _, name := range numbered("t", 3) {
				twits = append(twits, w.lists(name))
			}
			w.job(tables.Returned, "", "")
			return twits
		},
	} {
		for others, meanwhile := range map[string][]func(w *world, twits []*tables.Twit){
			"unfollows":                    {unfollows, sweeps},
			"deletes and unfollows":        {deletesNewest, unfollows, sweeps},
			"unfollows, and then deletes":  {unfollows, sweeps, deletesNewest, sweeps},
			"deletes, and then follows":    {deletesNewest, sweeps, follows, sweeps},
			"deletes, and follows as last": {deletesNewest, sweeps, followsLast, sweeps},
		} {
			all = append(all, crisis{name + " while one " + others, begin, meanwhile, false})
		}
		if name == "returned" {
			all = append(all, crossings(begin)...)
		}
	}
	return all
}

// TestNothingIsLeftOverWhereverAGatewayDies has something go wrong with calls that a gateway makes for a job, and others delete a twit, unfollow
// or cross the limit at each call before.
func TestNothingIsLeftOverWhereverAGatewayDies(t *testing.T) {
	chunks, step, mishaps := tried()
	for _, c := range crises() {
		for _, chunk := range chunks {
			t.Run(fmt.Sprintf("%s, by %d", c.name, chunk), func(t *testing.T) {
				runs := 0
				for at, calls := 0, 0; at <= calls; at++ {
					for what := range mishaps {
						for _, reads := range what.comes() {
							for call, struck := at%step, true; struck; call += step {
								m := &mortal{at: at, mishap: call, reads: reads, what: what}
								if c.happens(t, m, chunk); t.Failed() {
									t.Fatalf("the others were at call %d, and at call %d from there (reads: %t) it %s", at, call, reads, what)
								}
								struck, calls = m.struck, m.calls // at last those of a gateway that was well
								runs++
							}
						}
					}
				}
				t.Logf("%d runs", runs)
			})
		}
	}
}

// happens is one run, in which a gateway writes at most so many entries together.
func (c crisis) happens(t *testing.T, m *mortal, chunk int) {
	w := worldOf(t, openStore(t))
	defer w.Close()
	twits := c.begin(w)
	m.Store = w.Store
	m.meanwhile = func() {
		began := w.later()
		beside := &world{T: t, Store: m.Store, now: began, given: 100}
		for _, do := range c.meanwhile {
			do(beside, twits)
		}
		w.later(beside.now.Sub(began))
	}
	w.Store = m
	o := feeds.Options{Limit: limit, BatchSize: chunk}
	f := w.gateway(o)
	for range 2 { // one that lives tries again
		_ = f.Sweep(t.Context())
	}
	w.later(time.Minute) // what rests
	_ = f.Sweep(t.Context())
	w.Store = m.Store
	if m.late != nil && m.what != diesAndLater {
		m.late()
	}
	for range 2 {
		w.later(2 * time.Minute)
		w.sweep(w.gateway(o))
		if m.late != nil {
			m.late()
		}
	}
	w.whole(c.crosses)
	if c.crosses {
		ceasesToBeOne(w)
		rests(w, nil)
		w.whole(false)
	}
}

// whole wants in the timelines just what should be there, unless the author is a broadcaster, who may be one: then nothing else.
func (w *world) whole(broadcaster bool) {
	w.Helper()
	merged := broadcaster && w.state() != tables.Pushed
	for _, name := range []string{"Lily", "Lucy", "Zoe", "late", fans[0]} {
		var want []string
		related, _, err := tables.Follows.Decode(w.cells(tables.Follows.Get(name, author)))
		posted, _, _, decodeErr := tables.Twits.Decode(author, w.cells(tables.Twits.Get(author, 0, hbase.Page{Stop: tables.MembersEnd})))
		if err := errors.Join(err, decodeErr); err != nil {
			w.Fatal(err)
		}
		got := w.timeline(name)
		for _, twit := range posted {
			if related && (!merged || slices.Contains(got, twit.Name)) {
				want = append(want, twit.Name)
			}
		}
		if !slices.Equal(got, want) {
			w.Errorf("the timeline of %s has %q, and should have %q", name, got, want)
		}
	}
	if n := w.open(); n != 0 || !merged && w.state() != tables.Pushed {
		w.Errorf("%d jobs are left, and the author is %s", n, w.state())
	}
}
