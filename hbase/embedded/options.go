package embedded

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"
)

const (
	cacheSize    = 256 << 20
	memTableSize = 64 << 20
	blockSize    = 16 << 10
	// A file's index usually fits in one block of this size, so a seek reads one block less.
	indexBlockSize = 256 << 10
	// format is pinned, so that an update of Pebble does not lock out earlier versions of twibase.
	format = pebble.FormatValueSeparation
)

var comparer = func() *pebble.Comparer {
	c := *pebble.DefaultComparer
	c.Name = "twibase.rows.1"
	c.Compare, c.Equal = bytes.Compare, bytes.Equal
	c.Split = split
	return &c
}()

func (s *Store) pebbleOptions(fs vfs.FS) *pebble.Options {
	log := s.log
	o := &pebble.Options{
		FS:                 fs,
		Comparer:           comparer,
		FormatMajorVersion: format,
		CacheSize:          cacheSize,
		MemTableSize:       memTableSize,
		// An import writes faster than one core compacts, and must not stall.
		MemTableStopWritesThreshold: 4,
		L0CompactionThreshold:       2,
		L0StopWritesThreshold:       1000,
		DisableWAL:                  s.volatile,
		Logger:                      pebbleLog{log},
	}
	o.Experimental.L0CompactionConcurrency = 1
	for i := range o.Levels {
		o.Levels[i].BlockSize = s.blockSize
		o.Levels[i].IndexBlockSize = indexBlockSize
		o.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
	}
	o.EventListener = &pebble.EventListener{
		BackgroundError: func(err error) { log.Error("background work of the embedded store failed", "error", err) },
		// Pebble's default ends the process. Here reads return hbase.ErrCorrupt.
		DataCorruption: func(info pebble.DataCorruptionInfo) {
			log.Error("the embedded store is damaged", "file", info.Path, "error", info.Details)
		},
		DiskSlow: func(info pebble.DiskSlowInfo) { log.Warn("the disk is slow", "operation", info.String()) },
	}
	return o
}

type pebbleLog struct{ log *slog.Logger }

func (l pebbleLog) Infof(format string, args ...any) {
	if l.log.Enabled(context.Background(), slog.LevelDebug) {
		l.log.Debug(fmt.Sprintf(format, args...), "component", "pebble")
	}
}

func (l pebbleLog) Errorf(format string, args ...any) {
	l.log.Error(fmt.Sprintf(format, args...), "component", "pebble")
}

// Fatalf must not return. Pebble calls it when it can't continue without losing acknowledged
// writes.
func (l pebbleLog) Fatalf(format string, args ...any) {
	l.log.Error("the embedded store can't continue: "+fmt.Sprintf(format, args...), "component", "pebble")
	os.Exit(1)
}
