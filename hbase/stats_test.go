package hbase

import (
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestServersAddUpByAddress(t *testing.T) {
	at := func(ms int) time.Time { return time.UnixMilli(int64(ms)) }
	for _, test := range []struct {
		name  string
		calls []ServerCalls
		want  []ServerCalls
	}{
		{"no RPC", nil, nil},
		{"two servers, sorted by address", []ServerCalls{{"b:1", 1, 5, at(1), at(3)}, {"a:1", 1, 0, at(2), at(4)}},
			[]ServerCalls{{"a:1", 1, 0, at(2), at(4)}, {"b:1", 1, 5, at(1), at(3)}}},
		{"RPCs to a server last from the first to the last",
			[]ServerCalls{{"a:1", 1, 2, at(5), at(6)}, {"a:1", 1, 3, at(1), at(2)}, {"a:1", 2, 0, at(3), at(9)}},
			[]ServerCalls{{"a:1", 4, 5, at(1), at(9)}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var s Servers
			var all sync.WaitGroup
			for _, c := range test.calls {
				all.Go(func() { s.Add(c) })
			}
			all.Wait()
			if diff := cmp.Diff(test.want, s.All()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestNilServersAndTablesStayEmpty(t *testing.T) {
	var stats Stats
	stats.CountRPC("a:1", 3, time.Now())
	stats.Tables.Add("users")
	if stats.RPCs.Load() != 1 || stats.Servers.All() != nil || stats.Tables.Names() != nil {
		t.Errorf("got %d RPCs, %v, %v", stats.RPCs.Load(), stats.Servers.All(), stats.Tables.Names())
	}
}

func TestTablesAreASortedSet(t *testing.T) {
	var tables Tables
	for _, name := range []string{"users", "follows", "users"} {
		tables.Add(name)
	}
	if diff := cmp.Diff([]string{"follows", "users"}, tables.Names()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
