package embedded

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"twibase/hbase"
)

type gateFS struct {
	vfs.FS
	gate  sync.RWMutex
	syncs atomic.Int64
}

func (g *gateFS) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := g.FS.Create(name, category)
	return g.wrap(name, f), err
}

func (g *gateFS) ReuseForWrite(from, to string, category vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := g.FS.ReuseForWrite(from, to, category)
	return g.wrap(to, f), err
}

func (g *gateFS) wrap(name string, f vfs.File) vfs.File {
	if f == nil || !strings.HasSuffix(name, ".log") {
		return f
	}
	return &gateFile{File: f, fs: g}
}

type gateFile struct {
	vfs.File
	fs *gateFS
}

func (f *gateFile) wait() {
	f.fs.gate.RLock()
	defer f.fs.gate.RUnlock()
	f.fs.syncs.Add(1)
}

func (f *gateFile) Sync() error {
	f.wait()
	return f.File.Sync()
}

func (f *gateFile) SyncData() error {
	f.wait()
	return f.File.SyncData()
}

func (f *gateFile) SyncTo(length int64) (bool, error) {
	f.wait()
	return f.File.SyncTo(length)
}

func gatedStore(t *testing.T) (*Store, *gateFS) {
	t.Helper()
	fs := &gateFS{FS: vfs.NewMem()}
	s, err := open("db", fs, false)
	if err != nil {
		t.Fatal(err)
	}
	createTable(t, s, "t")
	return s, fs
}

func keys(t *testing.T, s *Store) (n int) {
	t.Helper()
	iter, err := s.db.NewIter(nil)
	if err != nil {
		t.Fatal(err)
	}
	for ok := iter.First(); ok; ok = iter.Next() {
		n++
	}
	if err := iter.Close(); err != nil {
		t.Fatal(err)
	}
	return n
}

func put(row, value string) hbase.Put {
	return hbase.Put{Table: "t", Row: row, Cells: []hbase.Cell{{Family: "i", Qualifier: "q", Value: []byte(value)}}}
}

func TestWritesWaitForTheDisk(t *testing.T) {
	short := func() (context.Context, context.CancelFunc) {
		return context.WithTimeout(context.Background(), 20*time.Millisecond)
	}
	t.Run("a write returns when it is synced, or when its ctx ends", func(t *testing.T) {
		s, fs := gatedStore(t)
		fs.gate.Lock()
		ctx, cancel := short()
		defer cancel()
		if _, err := s.Mutate(ctx, []hbase.Mutation{put("a", "1")}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Mutate: %v", err)
		}
		check := hbase.Check{Family: "i", Qualifier: "q"}
		if done, err := s.CheckAndPut(ctx, check, put("b", "1")); done || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("CheckAndPut: %v, %v", done, err)
		}
		fs.gate.Unlock()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Run("a failed check waits until the put that it read is synced", func(t *testing.T) {
		s, fs := gatedStore(t)
		defer s.Close()
		check := hbase.Check{Family: "i", Qualifier: "q"}
		fs.gate.Lock()
		won := make(chan error, 1)
		go func() {
			done, err := s.CheckAndPut(context.Background(), check, put("a", "winner"))
			if !done && err == nil {
				err = errors.New("it lost")
			}
			won <- err
		}()
		for s.unsynced.Load() == 0 {
			time.Sleep(time.Millisecond)
		}
		ctx, cancel := short()
		defer cancel()
		if done, err := s.CheckAndPut(ctx, check, put("a", "loser")); done || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("before the sync: %v, %v", done, err)
		}
		fs.gate.Unlock()
		if err := <-won; err != nil {
			t.Error(err)
		}
		if done, err := s.CheckAndPut(context.Background(), check, put("a", "loser")); done || err != nil {
			t.Errorf("after the sync: %v, %v", done, err)
		}
	})
	t.Run("concurrent writes share a sync", func(t *testing.T) {
		s, fs := gatedStore(t)
		defer s.Close()
		fs.gate.Lock()
		before, visible := fs.syncs.Load(), keys(t, s)
		var group sync.WaitGroup
		for i := range 100 {
			group.Go(func() {
				mutations := []hbase.Mutation{put(fmt.Sprint(i), "1")}
				if errs, err := s.Mutate(context.Background(), mutations); errs != nil || err != nil {
					t.Error(errs, err)
				}
			})
		}
		for keys(t, s) < visible+100 { // in the log before visible
			time.Sleep(time.Millisecond)
		}
		fs.gate.Unlock()
		group.Wait()
		if syncs := fs.syncs.Load() - before; syncs > 5 {
			t.Errorf("%d syncs for 100 writes", syncs)
		}
	})
	t.Run("Close waits for syncs", func(t *testing.T) {
		s, fs := gatedStore(t)
		fs.gate.Lock()
		written := make(chan error, 1)
		go func() {
			_, err := s.Mutate(context.Background(), []hbase.Mutation{put("a", "1")})
			written <- err
		}()
		for s.unsynced.Load() == 0 {
			time.Sleep(time.Millisecond)
		}
		closed := make(chan error, 1)
		go func() { closed <- s.Close() }()
		select {
		case err := <-closed:
			t.Errorf("closed before the sync: %v", err)
		case <-time.After(20 * time.Millisecond):
		}
		fs.gate.Unlock()
		if err := errors.Join(<-written, <-closed); err != nil {
			t.Error(err)
		}
		if err := s.Close(); !errors.Is(err, hbase.ErrClosed) {
			t.Errorf("a second Close: %v", err)
		}
	})
}

func TestPowerLossLosesNoAcknowledgedWrite(t *testing.T) {
	fs := vfs.NewCrashableMem()
	s, err := open("db", fs, false)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx := context.Background()
	createTable(t, s, "t")
	for n := range 200 {
		if errs, err := s.Mutate(ctx, []hbase.Mutation{put(fmt.Sprint("row", n), "1")}); errs != nil || err != nil {
			t.Fatal(errs, err)
		}
		if n%60 == 59 {
			if err := s.db.Flush(); err != nil {
				t.Fatal(err)
			}
		}
		if n%20 != 7 {
			continue
		}
		after, err := open("db", fs.CrashClone(vfs.CrashCloneCfg{}), false)
		if err != nil {
			t.Fatal(err)
		}
		rows := 0
		for _, err := range after.Scan(ctx, hbase.Scan{Table: "t"}) {
			if rows++; err != nil {
				t.Fatal(err)
			}
		}
		if rows != n+1 {
			t.Errorf("got %d rows, want %d", rows, n+1)
		}
		if err := after.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
