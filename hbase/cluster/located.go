package cluster

import (
	"bytes"
	"slices"
	"sort"
	"sync"

	"github.com/tsuna/gohbase/hrpc"

	"twibase/hbase"
)

// located caches the regions that gohbase has found. gohbase exposes a region only in a call that it has sent there, so they are learnt from
// calls. A RegionInfo knows whether it is still valid, so entries do not expire. It is safe for concurrent use.
type located struct {
	mu     sync.RWMutex
	tables map[string][]hrpc.RegionInfo // ascending, without overlaps
}

// find returns the region of a row, or nil if it is not known.
func (l *located) find(table, row string) hrpc.RegionInfo {
	l.mu.RLock()
	defer l.mu.RUnlock()
	regions := l.tables[table]
	behind := sort.Search(len(regions), func(i int) bool { return string(regions[i].StartKey()) > row })
	if behind == 0 {
		return nil
	}
	if region := regions[behind-1]; len(region.StopKey()) == 0 || row < string(region.StopKey()) {
		return region
	}
	return nil
}

// learn adds the region that a call was sent to, and removes the regions that it overlaps: they were split or merged.
func (l *located) learn(call hrpc.Call) {
	region, table := call.Region(), string(call.Table())
	if region == nil || l.find(table, string(region.StartKey())) == region {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.tables == nil {
		l.tables = map[string][]hrpc.RegionInfo{}
	}
	regions := slices.DeleteFunc(l.tables[table], func(old hrpc.RegionInfo) bool { return overlap(old, region) })
	regions = append(regions, region)
	slices.SortFunc(regions, func(a, b hrpc.RegionInfo) int { return bytes.Compare(a.StartKey(), b.StartKey()) })
	l.tables[table] = regions
}

func overlap(a, b hrpc.RegionInfo) bool {
	return startsBefore(a.StartKey(), b.StopKey()) && startsBefore(b.StartKey(), a.StopKey())
}

// startsBefore reports whether a start key is before a stop key. An empty stop key is the end of the table.
func startsBefore(start, stop []byte) bool { return len(stop) == 0 || bytes.Compare(start, stop) < 0 }

// serverOf returns the connection to the region's server, or nil if gohbase has to find it first.
func serverOf(region hrpc.RegionInfo) hrpc.RegionClient {
	if region == nil || region.IsUnavailable() || region.Context().Err() != nil {
		return nil
	}
	return region.Client()
}

// routed is a Get, by its index, and the region of its row.
type routed struct {
	region hrpc.RegionInfo
	get    int
}

// route groups Gets, given by their indexes, by region server. unknown are the Gets whose region gohbase must find.
func (l *located) route(gets []hbase.Get, indexes []int) (servers map[hrpc.RegionClient][]routed, unknown []int) {
	servers = map[hrpc.RegionClient][]routed{}
	for _, i := range indexes {
		region := l.find(gets[i].Table, gets[i].Row)
		if server := serverOf(region); server != nil {
			servers[server] = append(servers[server], routed{region, i})
		} else {
			unknown = append(unknown, i)
		}
	}
	return servers, unknown
}
