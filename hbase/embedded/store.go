package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"twibase/hbase"
)

// Store is an [hbase.Store] on one machine.
type Store struct {
	db        *pebble.DB
	lock      *pebble.Lock
	log       *slog.Logger
	clock     func() time.Time
	volatile  bool
	blockSize int
	rowCache  int

	// Calls read-lock mu. Close and changes of tables lock it.
	mu     sync.RWMutex
	closed bool
	tables map[string]*table

	rows     rowStates
	lastNow  atomic.Int64
	unsynced atomic.Int64 // visible writes that are not durable yet
	syncing  sync.WaitGroup

	cleaner *cleaner

	cache        *rowCache
	hits, misses atomic.Int64
}

var _ hbase.Store = (*Store)(nil)

// Option configures [Open].
type Option func(*Store)

// WithLogger sets the logger, none by default.
func WithLogger(log *slog.Logger) Option { return func(s *Store) { s.log = log } }

// DefaultRowCache is in bytes.
const DefaultRowCache = 32 << 20

// WithRowCache sets the row cache's bytes. 0 means no cache.
func WithRowCache(bytes int) Option { return func(s *Store) { s.rowCache = bytes } }

// Open opens or creates the store in a directory, or in memory if dir is "". It may return
// [hbase.ErrLocked], [hbase.ErrFormat] or [hbase.ErrCorrupt].
func Open(dir string, options ...Option) (*Store, error) {
	if dir == "" {
		return open("memory", vfs.NewMem(), true, options...)
	}
	return open(dir, vfs.Default, false, options...)
}

// IsStore reports whether dir has a store, maybe in use.
func IsStore(dir string) (bool, error) {
	found, err := pebble.Peek(dir, vfs.Default)
	return err == nil && found.Exists, err
}

func open(dir string, files vfs.FS, volatile bool, options ...Option) (*Store, error) {
	s := &Store{
		volatile:  volatile,
		blockSize: blockSize,
		rowCache:  DefaultRowCache,
		log:       slog.New(slog.DiscardHandler),
		clock:     time.Now,
	}
	for _, option := range options {
		option(s)
	}
	s.cache = newRowCache(s.rowCache)
	if err := s.openPebble(dir, files); err != nil {
		return nil, fmt.Errorf("open embedded store in %s: %w", dir, err)
	}
	s.cleaner = startCleaner(s)
	return s, nil
}

func (s *Store) openPebble(dir string, files vfs.FS) (err error) {
	if err := files.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if s.lock, err = pebble.LockDirectory(dir, files); err != nil {
		return lockError(dir, err)
	}
	opts := s.pebbleOptions(files)
	opts.Lock = s.lock
	if err = checkLogs(dir, files); err == nil {
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

// enter begins a call. Unless it returns an error, leave must end the call.
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

// now returns milliseconds, and never goes back.
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

// Close waits for running calls.
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
	return errors.Join(s.shut(), s.lock.Close())
}

// shut flushes first, because checkLogs can't distinguish damage at the end of a log from a crash.
// Pebble panics if it can't write a file, such as on a full disk. By then, the log on disk has all
// acknowledged writes.
func (s *Store) shut() (err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			err = fmt.Errorf("close Pebble: %+v; no acknowledged write is lost", panicked)
		}
	}()
	return errors.Join(s.endLog(), storeError(s.db.Close()))
}

func storeError(err error) error {
	if err != nil && pebble.IsCorruptionError(err) && !errors.Is(err, hbase.ErrCorrupt) {
		return fmt.Errorf("%w: %v", hbase.ErrCorrupt, err)
	}
	return err
}

func lockError(dir string, err error) error {
	// Pebble has no sentinel error for a second lock of one process.
	if errors.Is(err, syscall.EAGAIN) || strings.Contains(err.Error(), "lock held by current process") {
		return fmt.Errorf("%w: stop the process that has %s open, or name another directory", hbase.ErrLocked, dir)
	}
	return err
}

func openError(err error) error {
	// pebble.Open has no sentinel errors for formats.
	switch text := err.Error(); {
	case strings.Contains(text, "unknown format major version"):
		return fmt.Errorf("%w: a newer version of twibase wrote it; use that version (%v)", hbase.ErrFormat, err)
	case strings.Contains(text, "comparer name"):
		return fmt.Errorf("%w: it is a database of another program or of another version of twibase (%v)",
			hbase.ErrFormat, err)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: a file is missing: %v", hbase.ErrCorrupt, err)
	}
	return storeError(err)
}
