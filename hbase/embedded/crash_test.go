package embedded

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"twibase/hbase"
)

func TestKilledProcessLosesNoAcknowledgedWrite(t *testing.T) {
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	t.Logf("seed %d", seed)
	dir := t.TempDir()
	rounds := map[string]map[string]int{}
	for i := range 6 {
		round := fmt.Sprint("round", i)
		cmd, out := child(t, dir, round)
		kill := func() { _ = cmd.Process.Signal(os.Kill) }
		if i == 3 {
			time.AfterFunc(time.Duration(random.IntN(20))*time.Millisecond, kill)
		}
		delay := time.Duration(random.IntN(300)) * time.Millisecond
		rounds[round] = acknowledged(out, func() { time.AfterFunc(delay, kill) })
		if err := cmd.Wait(); err == nil || cmd.ProcessState.Success() {
			t.Fatalf("the child ended by itself: %v", err)
		}
		if i != 3 && len(rounds[round]) == 0 {
			t.Fatal("nothing was acknowledged")
		}
		s := mustOpen(t, dir)
		total := 0
		for round, last := range rounds {
			for key, n := range last {
				total += n
				s.expectAcknowledged(t, round, key, n)
			}
		}
		t.Logf("killed after %v: %d acknowledged writes of %d rounds are there", delay, total, i+1)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func (s *Store) expectAcknowledged(t *testing.T, round, key string, n int) {
	t.Helper()
	var kind string
	var worker int
	fmt.Sscan(key, &kind, &worker)
	if kind != ackPut {
		results, err := s.Get(context.Background(), []hbase.Get{{Table: "t", Row: crashRow(round, kind, worker, 0)}})
		if err != nil || len(results[0].Cells) != 1 {
			t.Fatalf("%s %s: %+v, %v", round, key, results, err)
		}
		// The child may have been killed before it printed the next write.
		if got := int(binary.BigEndian.Uint64(results[0].Cells[0].Value)); got != n && got != n+1 {
			t.Errorf("%s %s: %d, but %d was acknowledged", round, key, got, n)
		}
		return
	}
	var gets []hbase.Get
	for i := 1; i <= n+2; i++ {
		for _, m := range crashBatch(round, worker, i) {
			table, row := m.At()
			gets = append(gets, hbase.Get{Table: table, Row: row})
		}
	}
	results, err := s.Get(context.Background(), gets)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range results {
		switch batch := i/3 + 1; {
		case r.Err != nil:
			t.Errorf("%q: %v", gets[i].Row, r.Err)
		case len(r.Cells) == 0 && batch <= n:
			t.Errorf("%q was acknowledged and is lost", gets[i].Row)
		case len(r.Cells) == 0 && len(results[(batch-1)*3].Cells) == 0:
		case len(r.Cells) != 2 || string(r.Cells[0].Value) != gets[i].Row || string(r.Cells[1].Value) != gets[i].Row:
			t.Errorf("%q: got a part of a batch: %+v", gets[i].Row, r.Cells)
		case batch > n+1:
			t.Errorf("%q was never written", gets[i].Row)
		}
	}
}

func TestDirectoryHasOneProcess(t *testing.T) {
	dir := t.TempDir()
	s := mustOpen(t, dir)
	cmd, out := child(t, dir, "open")
	said, _ := io.ReadAll(out)
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	t.Run("a second process gets ErrLocked and a remedy", func(t *testing.T) {
		for _, part := range []string{hbase.ErrLocked.Error(), dir, "stop the process"} {
			if !strings.Contains(string(said), part) {
				t.Errorf("%q lacks %q", said, part)
			}
		}
	})
	t.Run("the first process continues", func(t *testing.T) {
		if _, err := s.Tables(context.Background()); err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Run("another process opens a closed directory", func(t *testing.T) {
		cmd, out := child(t, dir, "open")
		said, _ := io.ReadAll(out)
		if err := cmd.Wait(); err != nil || string(said) != "<nil>\n" {
			t.Errorf("%q, %v", said, err)
		}
	})
}
