package cluster

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/tsuna/gohbase/hrpc"
	"github.com/tsuna/gohbase/pb"

	"twibase/hbase"
)

// silent are the regions whose server did not answer for as long as a caller's patience lasted. What is asked of them is refused at once to whoever
// has no more patience than that, so that a server which is stopped costs a request nothing; a read that waits finds out when it is back.
//
// gohbase alone would send on: each call that it sends puts off the moment at which it gives a connection up.
type silent struct {
	some    atomic.Int64 // how many regions there are, for those who need not look
	mu      sync.Mutex
	regions map[hrpc.RegionInfo]hrpc.RegionClient // by what connection they were asked, nil if there was none
}

// has tells whether a region is still as it was when it fell silent: behind the same connection, or behind none.
func (s *silent) has(region hrpc.RegionInfo) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	by, is := s.regions[region]
	return is && region.Context().Err() == nil && (region.IsUnavailable() || region.Client() == by)
}

// add adds regions, unless they are there. It reports whether any was not.
func (s *silent) add(by hrpc.RegionClient, regions []hrpc.RegionInfo) (added bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.regions == nil {
		s.regions = map[hrpc.RegionInfo]hrpc.RegionClient{}
	}
	for _, region := range regions {
		before, is := s.regions[region]
		added = added || !is || before != by
		s.regions[region] = by
	}
	s.some.Store(int64(len(s.regions)))
	return added
}

func (s *silent) remove(regions []hrpc.RegionInfo) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, region := range regions {
		delete(s.regions, region)
	}
	s.some.Store(int64(len(s.regions)))
}

// refused is an error if a row's server is known not to answer, and ctx is of somebody who does not wait for it.
func (s *Store) refused(ctx context.Context, table, row string) error {
	if s.silent.some.Load() == 0 || !hbase.Impatient(ctx) {
		return nil
	}
	if region := s.located.find(table, row); region != nil && s.silent.has(region) {
		return fmt.Errorf("%w: table %s", hbase.ErrSilent, table)
	}
	return nil
}

// failed is translate for what was asked of a row. If the caller's patience came to its end, the row's server is silent.
func (s *Store) failed(ctx context.Context, err error, table, row string) error {
	if err == nil || !errors.Is(err, context.DeadlineExceeded) || context.Cause(ctx) != hbase.ErrSilent {
		return translate(err, table)
	}
	if region := s.located.find(table, row); region != nil {
		s.silence(region, table, row)
	}
	return fmt.Errorf("%w: table %s", hbase.ErrSilent, table)
}

// silence notes that a region does not answer: with all that are behind the same connection, or like it behind none.
func (s *Store) silence(region hrpc.RegionInfo, table, row string) {
	by := region.Client()
	if region.IsUnavailable() {
		by = nil
	}
	regions := s.located.alike(region, by)
	if s.silent.add(by, regions) && !s.closed.Load() {
		go func() {
			defer s.silent.remove(regions)
			s.listen(table, row)
		}()
	}
}

// listen waits until a row is answered for. gohbase looks for its server meanwhile.
func (s *Store) listen(table, row string) {
	sel := &selection{time: &pb.TimeRange{}, limit: number(1)}
	for !s.closed.Load() {
		ctx, cancel := hbase.Bounded(context.Background())
		_, err := s.sendOne(ctx, newGet(ctx, table, row, sel))
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			return
		}
	}
}

// alike are the regions behind the same connection as one, of those that are known; if that has none, all that have none.
func (l *located) alike(region hrpc.RegionInfo, by hrpc.RegionClient) []hrpc.RegionInfo {
	l.mu.RLock()
	defer l.mu.RUnlock()
	alike := []hrpc.RegionInfo{region}
	for _, regions := range l.tables {
		for _, other := range regions {
			if other != region && (by == nil && other.IsUnavailable() || by != nil && other.Client() == by) {
				alike = append(alike, other)
			}
		}
	}
	return alike
}
