package cluster

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/tsuna/gohbase"
	"github.com/tsuna/gohbase/hrpc"
	"github.com/tsuna/gohbase/pb"
	"github.com/tsuna/gohbase/region"

	"twibase/hbase"
)

// confused responds like gohbase when it does not find a region during a retry: the last call has a
// stale error, and the result of a successful call has the new one.
type confused struct {
	gohbase.Client
	rounds int
}

func (c *confused) SendBatch(_ context.Context, calls []hrpc.Call) ([]hrpc.RPCResult, bool) {
	results := make([]hrpc.RPCResult, len(calls))
	if c.rounds++; c.rounds > 1 {
		for i := range results {
			results[i].Error = gohbase.TableNotFound
		}
		return results, false
	}
	results[0] = hrpc.RPCResult{Msg: &pb.GetResponse{}, Error: gohbase.TableNotFound}
	results[1].Error = region.NotServingRegionError{}
	return results, false
}

func TestCallsOfABatchGetTheirOwnErrors(t *testing.T) {
	s := &Store{client: &confused{}}
	results, err := s.Get(t.Context(), []hbase.Get{{Table: "t", Row: "a"}, {Table: "t", Row: "b"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Run("a result with an error is a success", func(t *testing.T) {
		if results[0].Err != nil {
			t.Errorf("got %v", results[0].Err)
		}
	})
	t.Run("a retried call gets its own error", func(t *testing.T) {
		if !errors.Is(results[1].Err, hbase.ErrTableNotFound) {
			t.Errorf("got %v, want ErrTableNotFound", results[1].Err)
		}
	})
}

type recording struct {
	gohbase.Client
	mu      sync.Mutex
	batches [][]hrpc.Call
}

func (r *recording) SendBatch(_ context.Context, calls []hrpc.Call) ([]hrpc.RPCResult, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.batches = append(r.batches, calls)
	results := make([]hrpc.RPCResult, len(calls))
	for i := range results {
		results[i].Msg = &pb.GetResponse{}
	}
	return results, true
}

func TestBatchesHaveOneTableAndAMaximumSize(t *testing.T) {
	client := new(recording)
	s := &Store{client: client}
	tables := []string{"a", "b"}
	var gets []hbase.Get
	for i := range 2 * (maxMulti + 1) {
		gets = append(gets, hbase.Get{Table: tables[i%2], Row: fmt.Sprint(i)})
	}
	if _, err := s.Get(t.Context(), gets); err != nil {
		t.Fatal(err)
	}
	seen := make(map[string]bool)
	for _, batch := range client.batches {
		if len(batch) > maxMulti {
			t.Errorf("a batch has %d calls, more than %d", len(batch), maxMulti)
		}
		for _, call := range batch {
			if string(call.Table()) != string(batch[0].Table()) {
				t.Errorf("a batch has tables %s and %s", call.Table(), batch[0].Table())
			}
			seen[string(call.Key())] = true
		}
	}
	if len(seen) != len(gets) || len(client.batches) != 4 {
		t.Errorf("%d of %d Gets in %d batches, want 4 batches", len(seen), len(gets), len(client.batches))
	}
}

func TestBeforeIsTheGreatestLesserKey(t *testing.T) {
	for key, want := range map[string]string{
		"b\x00":   "b",
		"b":       "a" + lastRow[1:],
		"\x00":    "",
		"ab\x01":  "ab\x00" + lastRow[3:],
		"\xff":    "\xfe" + lastRow[1:],
		"a\x00ba": "a\x00b`" + lastRow[4:],
	} {
		if got := before(key); got != want {
			t.Errorf("before(%q): got %.20q… (%d bytes), want %.20q…", key, got, len(got), want)
		}
		if got := before(key); got >= key || len(got) > hbase.MaxRowLength {
			t.Errorf("before(%q): got %.20q…, want a lesser row key", key, got)
		}
	}
}

// overloaded drops the first batch.
type overloaded struct {
	gohbase.Client
	batches int
}

func (o *overloaded) SendBatch(_ context.Context, calls []hrpc.Call) ([]hrpc.RPCResult, bool) {
	results := make([]hrpc.RPCResult, len(calls))
	for i := range results {
		results[i].Msg = new(pb.MutateResponse)
		if o.batches == 0 {
			results[i] = hrpc.RPCResult{Error: java("CallDroppedException", "…")}
		}
	}
	o.batches++
	return results, o.batches > 1
}

func TestBatchThatABusyServerDropsIsSentAgain(t *testing.T) {
	client := new(overloaded)
	s := &Store{client: client, multiSize: multiSize(), exceptions: newExceptionCounter()}
	put := hbase.PutCells("t", "r", hbase.Cell{Family: "f", Qualifier: "q"})
	if errs, err := s.Mutate(t.Context(), []hbase.Mutation{put}); errs != nil || err != nil || client.batches != 2 {
		t.Errorf("%d batches, errors %v, %v", client.batches, errs, err)
	}
}
