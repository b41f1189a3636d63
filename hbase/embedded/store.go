package embedded

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"twibase/hbase"
)

// Store is a store of one machine. Create it with [Open].
type Store struct {
	db    *pebble.DB
	lock  *pebble.Lock
	log   *slog.Logger
	clock func() time.Time
	// volatile stores have no log, and so nothing to wait for.
	volatile  bool
	blockSize int
	rowCache  int

	// mu is held shared by every call while it runs; exclusively by Close and by what changes tables.
	mu     sync.RWMutex
	closed bool
	tables map[string]*table

	rows    rowStates
	lastNow atomic.Int64
	// unsynced counts the writes that are visible but not yet durable; syncing waits for them.
	unsynced atomic.Int64
	syncing  sync.WaitGroup

	cleaner *cleaner

	cache        *rowCache
	hits, misses atomic.Int64 // of the cache
}

var _ hbase.Store = (*Store)(nil)

// Option is a setting of [Open].
type Option func(*Store)

// WithLogger sends what Pebble reports to log; without it, it is dropped.
func WithLogger(log *slog.Logger) Option { return func(s *Store) { s.log = log } }

// DefaultRowCache is how many bytes of rows are kept that were read, unless [WithRowCache] says otherwise.
const DefaultRowCache = 32 << 20

// WithRowCache sets how many bytes of rows are kept that were read, so that they need not be looked for again; 0 is none.
func WithRowCache(bytes int) Option { return func(s *Store) { s.rowCache = bytes } }

// Open opens the store in a directory, which it makes if there is none; an empty dir is a store in memory, gone when it is
// closed. A directory that another process has open is [hbase.ErrLocked], one of a newer format [hbase.ErrFormat], a
// damaged one [hbase.ErrCorrupt].
func Open(dir string, options ...Option) (*Store, error) {
	if dir == "" {
		return open("memory", vfs.NewMem(), true, options...)
	}
	return open(dir, vfs.Default, false, options...)
}

// Is tells whether there is a store in a directory, in use or not, and changes nothing. It is safe for concurrent use.
func Is(dir string) (bool, error) {
	found, err := pebble.Peek(dir, vfs.Default)
	return err == nil && found.Exists, err
}

func open(dir string, fs vfs.FS, volatile bool, options ...Option) (*Store, error) {
	s := &Store{volatile: volatile, blockSize: blockSize, rowCache: DefaultRowCache, log: slog.New(slog.DiscardHandler), clock: time.Now}
	for _, option := range options {
		option(s)
	}
	s.cache = newRowCache(s.rowCache)
	if err := s.openPebble(dir, fs); err != nil {
		return nil, fmt.Errorf("open embedded store in %s: %w", dir, err)
	}
	s.cleaner = startCleaner(s)
	return s, nil
}

func (s *Store) openPebble(dir string, fs vfs.FS) (err error) {
	if err := fs.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if s.lock, err = pebble.LockDirectory(dir, fs); err != nil {
		return lockError(dir, err)
	}
	opts := s.pebbleOptions(fs)
	opts.Lock = s.lock
	if err = checkLogs(dir, fs); err == nil {
		s.db, err = pebble.Open(dir, opts)
	}
	if err != nil {
		s.lock.Close()
		return openError(err)
	}
	if err := s.loadCatalog(); err != nil {
		s.db.Close()
		s.lock.Close()
		return err
	}
	return nil
}

// enter begins a call: it fails if the store is closed or ctx is dead. Every call that it lets in ends with leave.
func (s *Store) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.RLock()
	if s.closed {
		s.mu.RUnlock()
		return hbase.ErrClosed
	}
	return nil
}

func (s *Store) leave() { s.mu.RUnlock() }

// now is the present in milliseconds; it never goes back while the store is open.
func (s *Store) now() int64 {
	now := s.clock().UnixMilli()
	for {
		last := s.lastNow.Load()
		if now <= last {
			return last
		}
		if s.lastNow.CompareAndSwap(last, now) {
			return now
		}
	}
}

// Close implements [hbase.Store]. It waits for the calls that run. A second Close is [hbase.ErrClosed].
func (s *Store) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return hbase.ErrClosed
	}
	s.closed = true
	s.mu.Unlock()
	s.cleaner.stop()
	s.syncing.Wait()
	// A flushed store has checksums over everything; the end of a log that was damaged looks like a write cut short.
	err := s.shut()
	if e := s.lock.Close(); err == nil {
		err = e
	}
	return storeError(err)
}

// shut flushes and closes Pebble, which panics where a file can't be written: on a full disk. What was acknowledged is in the
// log by then, and is there when the store is opened again.
func (s *Store) shut() (err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			err = fmt.Errorf("the store could not be closed properly, but lost nothing: %+v", panicked)
		}
	}()
	err = s.db.Flush()
	if e := s.db.Close(); err == nil {
		err = e
	}
	return err
}
