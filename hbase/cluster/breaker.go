package cluster

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/tsuna/gohbase/hrpc"

	"twibase/hbase"
)

// breaker is a circuit breaker for regions whose server exceeded the call timeout. Each further
// call would postpone the moment at which gohbase gives up the connection.
//
//	        timeout of a call                        probe is answered
//	closed ───────────────────► open for all regions ─────────────────► closed
//	                            of the connection
//	                            calls fail with ErrUnresponsive
//
// The probe reads one row, without a call timeout, until it gets a response or an error other than
// a timeout.
type breaker struct {
	open    atomic.Int64 // the number of regions; usually 0, which needs no lock
	mu      sync.Mutex
	regions map[hrpc.RegionInfo]hrpc.RegionClient // their connections when they failed, or nil
}

// has reports whether the breaker is open for a region. It is closed for a region that has moved to
// another connection.
func (b *breaker) has(region hrpc.RegionInfo) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	client, ok := b.regions[region]
	return ok && region.Context().Err() == nil && (region.IsUnavailable() || region.Client() == client)
}

// add opens the breaker for regions of a connection. It reports whether one of them is new.
func (b *breaker) add(client hrpc.RegionClient, regions []hrpc.RegionInfo) (added bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.regions == nil {
		b.regions = map[hrpc.RegionInfo]hrpc.RegionClient{}
	}
	for _, region := range regions {
		before, ok := b.regions[region]
		added = added || !ok || before != client
		b.regions[region] = client
	}
	b.open.Store(int64(len(b.regions)))
	return added
}

func (b *breaker) remove(regions []hrpc.RegionInfo) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, region := range regions {
		delete(b.regions, region)
	}
	b.open.Store(int64(len(b.regions)))
}

func (s *Store) refused(table, row string) error {
	if s.breaker.open.Load() == 0 {
		return nil
	}
	if region := s.regions.find(table, row); region != nil && s.breaker.has(region) {
		return fmt.Errorf("%w: table %s", hbase.ErrUnresponsive, table)
	}
	return nil
}

// failed translates the error of a call for a row. If the call timeout passed, it opens the
// breaker.
func (s *Store) failed(ctx context.Context, err error, table, row string) error {
	if err == nil || !errors.Is(err, context.DeadlineExceeded) || context.Cause(ctx) != hbase.ErrUnresponsive {
		return translate(err, table)
	}
	if region := s.regions.find(table, row); region != nil {
		s.trip(region, table, row)
	}
	return fmt.Errorf("%w: table %s", hbase.ErrUnresponsive, table)
}

// trip opens the breaker for all regions of the same connection, until a probe of the row is
// answered. Regions without a connection are treated as if they shared one.
func (s *Store) trip(region hrpc.RegionInfo, table, row string) {
	client := region.Client()
	if region.IsUnavailable() {
		client = nil
	}
	regions := s.regions.alike(region, client)
	if s.breaker.add(client, regions) && !s.closed.Load() {
		go func() {
			defer s.breaker.remove(regions)
			s.probe(table, row)
		}()
	}
}

func (s *Store) probe(table, row string) {
	for !s.closed.Load() {
		ctx, cancel := hbase.Bounded(context.Background(), 0)
		_, err := s.sendUnchecked(ctx, newGet(ctx, table, row, firstCell))
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			return
		}
	}
}

// alike returns the known regions with the same connection as region, or all without one if it has
// none.
func (l *regionCache) alike(region hrpc.RegionInfo, client hrpc.RegionClient) []hrpc.RegionInfo {
	l.mu.RLock()
	defer l.mu.RUnlock()
	alike := []hrpc.RegionInfo{region}
	for _, regions := range l.tables {
		for _, other := range regions {
			same := client == nil && other.IsUnavailable() || client != nil && other.Client() == client
			if other != region && same {
				alike = append(alike, other)
			}
		}
	}
	return alike
}
