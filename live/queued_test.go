package live

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
)

func TestQueuedBytesAreBounded(t *testing.T) {
	withFixture(t, func(t *testing.T, f *fixture) {
		// Of the last texts, those of both authors are queued.
		const bytes, texts = 10 << 20, maxQueued / (10 << 20)
		type text struct{ position string }
		p := New(f.store, Options{
			Size: func(any) int { return bytes },
			Visible: func(_ context.Context, all []Candidate) ([]any, []error) {
				entries, made := make([]any, len(all)), map[Key]*text{}
				for i, c := range all {
					if made[c.Key] == nil {
						made[c.Key] = &text{c.Key.Position}
					}
					entries[i] = made[c.Key]
				}
				return entries, nil
			},
		})
		var readers sync.WaitGroup
		defer readers.Wait()
		ctx, stop := run(t, p)
		defer stop()
		subscribe := func(owner string) *Subscription {
			s, err := p.Subscribe(ctx, "", Posts, owner, time.Time{})
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		slow, read := subscribe("slow"), [2]int{}
		for i, s := range []*Subscription{subscribe("slow"), subscribe("other")} {
			readers.Go(func() {
				for e := range s.Events() {
					read[i]++
					e.Release()
				}
				s.Close()
			})
		}
		for n := range texts {
			if err := slow.Err(); err != nil {
				t.Fatalf("after %d texts: %v", n, err)
			}
			for _, author := range []string{"slow", "other"} {
				twit := &tables.Twit{AuthorName: author, PostedAt: time.Now(), Name: fmt.Sprint(n)}
				f.put(hbase.Put{Table: tables.Twits.Table, Row: tables.Twits.Row(author, 0),
					Cells: []hbase.Cell{tables.Twits.Cell(twit, 1)}})
			}
			time.Sleep(time.Second)
			synctest.Wait()
			if most := p.queued.Load(); most > maxQueued {
				t.Errorf("%d bytes are queued", most)
			}
		}
		if err := slow.Err(); !errors.Is(err, ErrSlow) {
			t.Errorf("the slow subscriber has the error %v, want %v", err, ErrSlow)
		}
		if n := p.queued.Load(); n != 0 || p.Counters.CutOff.Load() != 1 {
			t.Errorf("%d bytes are queued, and %d subscriptions were cut off", n, p.Counters.CutOff.Load())
		}
		if read != [2]int{texts, texts} {
			t.Errorf("other subscribers read %v texts, want %d each", read, texts)
		}
		slow.Close()
	})
}

func TestClosedSubscriptionHasNoQueuedBytes(t *testing.T) {
	withFixture(t, func(t *testing.T, f *fixture) {
		p := New(f.store, Options{Size: func(any) int { return 1 }})
		row := p.row(rowName{Posts, "author"}, time.Now())
		queues := map[any]*queued{}
		var all []*Subscription
		for range 2 {
			s := &Subscription{poller: p, row: row, state: receiving, queue: make(chan Event, QueueSize)}
			row.subscribers[s] = struct{}{}
			s.send(Event{Key{}, "an entry", p.queuedOf(queues, "an entry")}, time.Now())
			all = append(all, s)
		}
		for i, want := range []int64{1, 0} {
			if n := p.queued.Load(); n != 1 {
				t.Errorf("%d bytes are queued for %d subscribers, want 1", n, 2-i)
			}
			if i == 0 {
				all[i].Close()
			} else {
				all[i].Rewind(nil)
			}
			if n := p.queued.Load(); n != want {
				t.Errorf("%d bytes are queued, want %d", n, want)
			}
		}
	})
}
