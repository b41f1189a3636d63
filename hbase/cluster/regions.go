package cluster

import (
	"bytes"
	"context"
	"slices"
	"sort"
	"sync"

	"github.com/tsuna/gohbase/hrpc"
	"golang.org/x/sync/errgroup"

	"twibase/hbase"
)

// regionCache has the regions that gohbase has found. gohbase exposes a region only in calls that
// were sent to it. A RegionInfo knows whether it is valid, so entries do not expire.
type regionCache struct {
	mu     sync.RWMutex
	tables map[string][]hrpc.RegionInfo // ascending, without overlaps
	last   sync.Map                     // by region: address of its last server
}

func (l *regionCache) find(table, row string) hrpc.RegionInfo {
	l.mu.RLock()
	defer l.mu.RUnlock()
	regions := l.tables[table]
	next := sort.Search(len(regions), func(i int) bool { return string(regions[i].StartKey()) > row })
	if next == 0 {
		return nil
	}
	if region := regions[next-1]; len(region.StopKey()) == 0 || row < string(region.StopKey()) {
		return region
	}
	return nil
}

// learn also removes overlapping regions: they were split or merged.
func (l *regionCache) learn(call hrpc.Call) {
	region, table := call.Region(), string(call.Table())
	if region == nil || region.Context().Err() != nil { // it was split or merged during the call
		return
	}
	if server := serverAddress(call); server != "" {
		if last, _ := l.last.Load(region); last != server {
			l.last.Store(region, server)
		}
	}
	if l.find(table, string(region.StartKey())) == region {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.tables == nil {
		l.tables = map[string][]hrpc.RegionInfo{}
	}
	regions := slices.DeleteFunc(l.tables[table], func(old hrpc.RegionInfo) bool {
		if !overlap(old, region) {
			return false
		}
		l.last.Delete(old)
		return true
	})
	regions = append(regions, region)
	slices.SortFunc(regions, func(a, b hrpc.RegionInfo) int { return bytes.Compare(a.StartKey(), b.StartKey()) })
	l.tables[table] = regions
}

func overlap(a, b hrpc.RegionInfo) bool {
	return startsBefore(a.StartKey(), b.StopKey()) && startsBefore(b.StartKey(), a.StopKey())
}

func startsBefore(start, stop []byte) bool {
	return len(stop) == 0 || bytes.Compare(start, stop) < 0 // an empty stop is the table's end
}

func serverOf(region hrpc.RegionInfo) hrpc.RegionClient {
	if region == nil || region.IsUnavailable() || region.Context().Err() != nil {
		return nil
	}
	return region.Client()
}

func (l *regionCache) lastServer(region hrpc.RegionInfo) string {
	last, _ := l.last.Load(region)
	address, _ := last.(string)
	return address
}

type routedGet struct {
	region hrpc.RegionInfo
	get    int // index
}

func (l *regionCache) route(
	gets []hbase.Get, indexes []int,
) (servers map[hrpc.RegionClient][]routedGet, unknown []int) {
	servers = map[hrpc.RegionClient][]routedGet{}
	for _, i := range indexes {
		region := l.find(gets[i].Table, gets[i].Row)
		if server := serverOf(region); server != nil {
			servers[server] = append(servers[server], routedGet{region, i})
		} else {
			unknown = append(unknown, i)
		}
	}
	return servers, unknown
}

// Warm locates the regions of tables and connects to their servers.
func (s *Store) Warm(ctx context.Context, tables ...string) error {
	ctx, cancel, err := s.begin(ctx, 0)
	if err != nil {
		return err
	}
	defer cancel()
	group, ctx := errgroup.WithContext(ctx)
	for _, table := range tables {
		group.Go(func() error { return s.awaitRegions(ctx, s.FullName(table)) })
	}
	return group.Wait()
}

func (s *Store) awaitRegions(ctx context.Context, table string) error {
	found := make(chan error, 1)
	go func() { found <- s.client.CacheRegions([]byte(table)) }() // ends with the store
	select {
	case err := <-found:
		if err != nil {
			return translate(err, location{table: table})
		}
	case <-ctx.Done():
		return s.callError(ctx, ctx.Err(), table, "", "")
	}
	for row := "\x00"; row != ""; {
		get := newGet(ctx, table, row, firstCell)
		if _, err := s.sendOne(ctx, get); err != nil {
			return err
		}
		row = string(get.Region().StopKey())
	}
	return nil
}

var firstCell = &selection{limit: number(1)}
