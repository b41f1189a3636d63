package cluster

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/tsuna/gohbase"
	"github.com/tsuna/gohbase/hrpc"
	"github.com/tsuna/gohbase/region"

	"twibase/hbase"
)

type batch struct {
	table func(i int) string
	// call makes a new call for each attempt.
	call func(ctx context.Context, i int) hrpc.Call
	// done is called once for each request, concurrently.
	done func(i int, err error)
}

func (s *Store) sendAll(ctx context.Context, b batch, requests []int) {
	byTable := map[string][]int{}
	for _, i := range requests {
		byTable[b.table(i)] = append(byTable[b.table(i)], i)
	}
	var sent sync.WaitGroup
	for _, requests := range byTable {
		for chunk := range slices.Chunk(requests, maxMulti) {
			sent.Go(func() {
				if again := s.sendBatch(ctx, b, chunk, false); len(again) > 0 {
					select {
					case <-time.After(firstPause):
					case <-ctx.Done():
					}
					s.sendBatch(ctx, b, again, true)
				}
			})
		}
	}
	sent.Wait()
}

// sendBatch sends requests of one table. Unless last is true, it returns the requests to send
// again. If gohbase does not find a region during a retry, it gives up the whole batch, and may
// report errors even for calls that succeeded.
func (s *Store) sendBatch(ctx context.Context, b batch, requests []int, last bool) (again []int) {
	ctx, span := startSpan(ctx, "Batch")
	calls := make([]hrpc.Call, len(requests))
	for k, i := range requests {
		// gohbase does not notice that the ctx of a single call has expired, so all share one.
		calls[k] = b.call(ctx, i)
	}
	begun := time.Now()
	results, _ := s.client.SendBatch(ctx, slices.Clone(calls)) // SendBatch reorders its argument
	countMultis(ctx, calls, begun)
	span.endBatch(calls, results)
	for _, call := range calls {
		s.regions.learn(call)
	}
	for k, i := range requests {
		switch result := results[k]; {
		case result.Msg != nil: // a response, even if there is also an error
			s.recordResponse(serverAddress(calls[k]))
			b.done(i, nil)
		case !last && ctx.Err() == nil && busy(result.Error):
			s.recordResponse(serverAddress(calls[k]))
			s.observe(result.Error)
			again = append(again, i)
		case !last && ctx.Err() == nil && retryable(result.Error):
			again = append(again, i)
		default:
			b.done(i, s.callError(ctx, result.Error, b.table(i), string(calls[k].Key()), serverAddress(calls[k])))
		}
	}
	return again
}

func retryable(err error) bool {
	switch err.(type) {
	case region.RetryableError, region.ServerError, region.NotServingRegionError:
		return true
	}
	return errors.Is(err, gohbase.NotExecutedError)
}

// countMultis counts one RPC per server: gohbase does not report its multis.
func countMultis(ctx context.Context, calls []hrpc.Call, begun time.Time) {
	gets := map[string]int{} // by server
	for _, call := range calls {
		if server := serverAddress(call); server != "" {
			n := 0
			if _, ok := call.(*getCall); ok {
				n = 1
			}
			gets[server] += n
		}
	}
	stats := hbase.StatsOf(ctx)
	for server, n := range gets {
		stats.CountRPC(server, n, begun)
	}
}

func serverAddress(call hrpc.Call) string {
	if region := call.Region(); region != nil {
		if client := region.Client(); client != nil { // gohbase can remove it at any time
			return client.Addr()
		}
	}
	return ""
}
