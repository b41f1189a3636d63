package endpoint

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/live"
)

// reads counts the twits that were read with their contents.
type reads struct {
	hbase.Store
	twits atomic.Int64
}

func (r *reads) Get(ctx context.Context, gets []hbase.Get) ([]hbase.Result, error) {
	results, err := r.Store.Get(ctx, gets)
	for i, result := range results {
		for _, cell := range result.Cells {
			if gets[i].Table == tables.Twits.Table && len(cell.Value) > 0 {
				r.twits.Add(1)
			}
		}
	}
	return results, err
}

// replayAfter returns the twits that a client receives after another. The client reads the first
// one late.
func (f *feed) replayAfter(after string, late time.Duration) (received []string) {
	f.Helper()
	ctx, cancel := context.WithTimeout(graphql.StartOperationTrace(f.Context()), late+time.Minute)
	defer cancel()
	params := &graphql.RawParams{Query: document, Variables: map[string]any{"u": "a", "after": after}}
	for response := range f.endpoint.execute(ctx, params) {
		if len(received) == 0 {
			time.Sleep(late)
		}
		received = append(received, string(response.Data))
	}
	return received
}

func TestReplayHoldsOnePage(t *testing.T) {
	inFeed(t, func(f *feed) {
		var names []string
		for i := range 450 {
			names = append(names, fmt.Sprint(i))
		}
		after := f.post(names[:300]...)
		f.post(names[300:]...)
		time.Sleep(live.Overlap) // no poll finds the twits
		before := f.reads.twits.Load()
		done := make(chan []string)
		go func() { done <- f.replayAfter(after, time.Minute) }()
		time.Sleep(time.Second)
		synctest.Wait()
		if n := f.reads.twits.Load() - before; n >= 200 {
			f.Errorf("the replay has read %d twits before the client read one, want about a page of 100", n)
		}
		want := []string{}
		for _, name := range slices.Delete(names, 299, 300) {
			want = append(want, fmt.Sprintf(`{"twitPosted":{"content":%q}}`, name))
		}
		if received := <-done; !slices.Equal(received, want) {
			f.Errorf("received %q, want %q", received, want)
		}
	})
}

// A position has no time before 1970.
func TestReplayAfterATwitOf1970(t *testing.T) {
	inFeed(t, func(f *feed) {
		id := f.postAt(tables.UnknownTime, "first")
		f.post("1")
		time.Sleep(live.Overlap)
		if received := f.replayAfter(id, 0); len(received) != 1 {
			f.Errorf("received %q, want one twit", received)
		}
	})
}
