package cluster

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tsuna/gohbase/hrpc"

	"twibase/hbase"
)

// breaker is a circuit breaker for regions that exceeded the call timeout. Without it, each new
// call would delay the time at which gohbase closes the silent connection.
//
//	        timeout of a call                        probe is answered
//	closed ───────────────────► open for the region ───────────────────► closed
//	                            calls fail with ErrUnresponsive
//
// A server that has not answered any call for the call timeout is unresponsive (an exception is an
// answer). Then the breaker opens for all regions of the connection, with one probe.
//
// A probe repeats a Get of one row, with [hbase.DefaultTimeout] for each attempt, until one does
// not time out.
type breaker struct {
	open    atomic.Int64 // usually 0, and then calls do not lock mu
	mu      sync.Mutex
	regions map[hrpc.RegionInfo]hrpc.RegionClient // the connection when the breaker opened, or nil

	unresponsive map[string]time.Time // servers by address, since when
}

// isOpen returns false if the region is no longer valid, or has a new connection.
func (b *breaker) isOpen(region hrpc.RegionInfo) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	client, ok := b.regions[region]
	return ok && region.Context().Err() == nil && (region.IsUnavailable() || region.Client() == client)
}

func (b *breaker) add(client hrpc.RegionClient, regions ...hrpc.RegionInfo) (added []hrpc.RegionInfo) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.regions == nil {
		b.regions = map[hrpc.RegionInfo]hrpc.RegionClient{}
	}
	for _, region := range regions {
		if before, ok := b.regions[region]; !ok || before != client {
			added = append(added, region)
		}
		b.regions[region] = client
	}
	b.open.Store(int64(len(b.regions)))
	return added
}

// remove closes the breaker for regions, unless add has since opened it with another client. If it
// is open for no other region of the server, remove also unmarks the server, and returns since when
// it was unresponsive.
func (b *breaker) remove(client hrpc.RegionClient, regions []hrpc.RegionInfo) (since time.Time, marked bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, region := range regions {
		if b.regions[region] == client {
			delete(b.regions, region)
		}
	}
	b.open.Store(int64(len(b.regions)))
	if client == nil {
		return time.Time{}, false
	}
	server := client.Addr()
	if since, marked = b.unresponsive[server]; !marked || b.isOpenFor(server) {
		return time.Time{}, false
	}
	delete(b.unresponsive, server)
	return since, true
}

// isOpenFor is called with mu held.
func (b *breaker) isOpenFor(server string) bool {
	for _, client := range b.regions {
		if client != nil && client.Addr() == server {
			return true
		}
	}
	return false
}

// mark returns false if the server was marked already, or if a probe has closed the breaker for it.
func (b *breaker) mark(server string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, marked := b.unresponsive[server]; marked || !b.isOpenFor(server) {
		return false
	}
	if b.unresponsive == nil {
		b.unresponsive = map[string]time.Time{}
	}
	b.unresponsive[server] = time.Now()
	return true
}

func (b *breaker) countUnresponsive() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.unresponsive)
}

func (s *Store) failFast(table, row string) error {
	if s.breaker.open.Load() == 0 && s.refusals.count.Load() == 0 {
		return nil
	}
	region := s.regions.find(table, row)
	if region == nil {
		return nil
	}
	if err := s.refusal(region); err != nil {
		return err
	}
	if s.breaker.isOpen(region) {
		return s.unresponsive(region, location{table: table})
	}
	return nil
}

// callError translates an error. After the call timeout, it opens the breaker for the region. If
// the region is unknown, the next call checks whether the table is disabled. server may be "".
func (s *Store) callError(ctx context.Context, err error, table, row, server string) error {
	if exceptionOf(err) != "" {
		s.recordResponse(server)
		s.observe(err)
	}
	at := location{table, server}
	if errors.Is(err, hbase.ErrUnavailable) {
		return err
	}
	region := s.regions.find(table, row)
	if errors.Is(err, context.DeadlineExceeded) {
		if refused := s.refusal(region); refused != nil {
			return refused
		}
	}
	if !errors.Is(err, context.DeadlineExceeded) {
		return translate(err, at)
	}
	if context.Cause(ctx) != hbase.ErrUnresponsive {
		if unlocated := s.unlocated(region); unlocated != nil {
			return fmt.Errorf("%w: %s", unlocated, at)
		}
		return translate(err, at)
	}
	if region != nil {
		s.trip(region)
	} else {
		s.states.suspect(table)
	}
	return s.unresponsive(region, at)
}

func (s *Store) unresponsive(region hrpc.RegionInfo, at location) error {
	if err := s.unlocated(region); err != nil {
		return fmt.Errorf("%w: %s", err, at)
	}
	return fmt.Errorf("%w: %s", hbase.ErrUnresponsive, at)
}

func (s *Store) unlocated(region hrpc.RegionInfo) error {
	if serverOf(region) != nil {
		return nil
	}
	return s.locator.err()
}

// trip opens the breaker for a region, and for the other regions of an unresponsive server. If the
// region has no connection, trip opens it for all such regions.
func (s *Store) trip(region hrpc.RegionInfo) {
	client := region.Client()
	if region.IsUnavailable() {
		client = nil
	}
	s.openFor(client, region)
	if client != nil && s.respondedWithin(client.Addr(), s.callTimeout) {
		return
	}
	s.openFor(client, s.regions.others(region, client)...)
	if client != nil && s.breaker.mark(client.Addr()) {
		s.log.Warn().Str("server", client.Addr()).
			Msg("a region server does not answer: calls to its regions fail immediately until it does")
	}
}

func (s *Store) openFor(client hrpc.RegionClient, regions ...hrpc.RegionInfo) {
	added := s.breaker.add(client, regions...)
	if len(added) == 0 || s.closed.Load() {
		return
	}
	go func() {
		s.probe(added[0])
		if since, marked := s.breaker.remove(client, added); marked {
			s.log.Info().Str("server", client.Addr()).Dur("ms", time.Since(since)).
				Msg("calls to the regions of an unresponsive server are sent again")
		}
	}()
}

func (s *Store) probe(region hrpc.RegionInfo) {
	for !s.closed.Load() {
		ctx, cancel := hbase.Bounded(context.Background(), 0)
		_, err := s.sendUnchecked(ctx, newGet(ctx, tableOf(region), string(region.StartKey())+"\x00", firstCell))
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			return
		}
	}
}

func (s *Store) recordResponse(server string) {
	if server == "" || s.callTimeout == 0 {
		return
	}
	last, ok := s.lastResponse.Load(server)
	if !ok {
		last, _ = s.lastResponse.LoadOrStore(server, new(atomic.Int64))
	}
	last.(*atomic.Int64).Store(time.Now().UnixNano())
}

func (s *Store) respondedWithin(server string, d time.Duration) bool {
	last, ok := s.lastResponse.Load(server)
	return ok && time.Since(time.Unix(0, last.(*atomic.Int64).Load())) < d
}

func (l *regionCache) others(region hrpc.RegionInfo, client hrpc.RegionClient) (others []hrpc.RegionInfo) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	for _, regions := range l.tables {
		for _, other := range regions {
			same := client == nil && other.IsUnavailable() || client != nil && other.Client() == client
			if other != region && same {
				others = append(others, other)
			}
		}
	}
	return others
}

func tableOf(region hrpc.RegionInfo) string {
	if namespace := region.Namespace(); len(namespace) > 0 {
		return string(namespace) + ":" + string(region.Table())
	}
	return string(region.Table())
}
