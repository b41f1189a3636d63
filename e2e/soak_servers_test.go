package e2e

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"twibase/hbase/hbasetest/minihbase"
)

// soakServers are the region servers of an HBase of which one after the other is taken away for a while. The zero value has none.
type soakServers struct {
	*testing.T
	hbase  *minihbase.Distributed
	stops  int
	starts int // of servers that ended
}

func startSoakServers(t *testing.T, dir string) *soakServers {
	t.Helper()
	h, err := minihbase.StartDistributed(t.Context(), filepath.Join(dir, "hbase"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Kill)
	return &soakServers{T: t, hbase: h}
}

// take stops one after the other, 20 s after the one before, until end: for three seconds, which they survive if the machine is not too busy, and every
// fourth time for ten, which they do not, as ZooKeeper waits for six.
func (s *soakServers) take(end context.Context) {
	for s.hbase != nil {
		select {
		case <-end.Done():
			return
		case <-time.After(20 * time.Second):
		}
		s.mend()
		i := s.stops % s.hbase.Servers()
		s.hbase.StopServer(i)
		pause := 3 * time.Second
		if s.stops%4 == 3 {
			pause = 10 * time.Second
		}
		time.Sleep(pause)
		s.hbase.ContinueServer(i)
		s.stops++
	}
}

// mend starts new ones for those that have ended, as an operator does: who was silent for too long has lost its session, and ends when it finds out.
func (s *soakServers) mend() {
	if s.hbase == nil {
		return
	}
	for i := range s.hbase.Servers() {
		if s.hbase.ServerEnded(i) {
			s.starts++
			if err := s.hbase.StartServer(i); err != nil {
				s.Error(err)
			}
		}
	}
}
