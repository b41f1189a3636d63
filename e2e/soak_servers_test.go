package e2e

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"twibase/hbase/hbasetest/minihbase"
)

// The zero value of soakServers has no servers.
type soakServers struct {
	*testing.T
	hbase  *minihbase.Distributed
	stops  int
	starts int
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

// Every fourth stop takes ten seconds, which ends the ZooKeeper session of six seconds.
func (s *soakServers) stopInTurn(end context.Context) {
	for s.hbase != nil {
		select {
		case <-end.Done():
			return
		case <-time.After(20 * time.Second):
		}
		s.restart()
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

func (s *soakServers) restart() {
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
