package cluster

import (
	"context"
	"errors"
	"testing"

	"github.com/tsuna/gohbase"
	"github.com/tsuna/gohbase/hrpc"
	"github.com/tsuna/gohbase/pb"
	"github.com/tsuna/gohbase/region"

	"twibase/hbase"
)

// confused answers as gohbase does when a region of some calls is gone while it tries them again: the last call's error is
// stale, and what really happened stands in the place of a call that succeeded.
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

func TestWrongSlots(t *testing.T) {
	s := &Store{client: &confused{}}
	results, err := s.Get(t.Context(), []hbase.Get{{Table: "t", Row: "a"}, {Table: "t", Row: "b"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Run("an answer is an answer, whatever error stands beside it", func(t *testing.T) {
		if results[0].Err != nil {
			t.Errorf("got %v", results[0].Err)
		}
	})
	t.Run("an error that was written in another's place is found out", func(t *testing.T) {
		if !errors.Is(results[1].Err, hbase.ErrTableNotFound) {
			t.Errorf("got %v, want ErrTableNotFound", results[1].Err)
		}
	})
}

func TestChunks(t *testing.T) {
	tables := []string{"a", "b"}
	var requests []int
	for i := range 2 * (maxMulti + 1) {
		requests = append(requests, i)
	}
	b := batch{table: func(i int) string { return tables[i%2] }}
	seen := make(map[int]bool)
	for _, chunk := range b.chunks(requests) {
		if len(chunk) > maxMulti {
			t.Errorf("a chunk has %d calls, more than %d", len(chunk), maxMulti)
		}
		for _, i := range chunk {
			if b.table(i) != b.table(chunk[0]) {
				t.Errorf("a chunk has tables %s and %s", b.table(i), b.table(chunk[0]))
			}
			seen[i] = true
		}
	}
	if len(seen) != len(requests) {
		t.Errorf("%d of %d requests are in a chunk", len(seen), len(requests))
	}
}

func TestBefore(t *testing.T) {
	for key, want := range map[string]string{
		"b\x00":   "b",
		"b":       "a" + lastRow[1:],
		"\x00":    "",
		"ab\x01":  "ab\x00" + lastRow[3:],
		"\xff":    "\xfe" + lastRow[1:],
		"a\x00ba": "a\x00b`" + lastRow[4:],
	} {
		if got := before(key); got != want {
			t.Errorf("before(%q) is %.20q… (%d bytes)", key, got, len(got))
		}
		if got := before(key); got >= key || len(got) > hbase.MaxRowLength {
			t.Errorf("before(%q) is no lesser row key", key)
		}
	}
}
