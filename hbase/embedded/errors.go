package embedded

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"github.com/cockroachdb/pebble/v2"

	"twibase/hbase"
)

// storeError turns an error of Pebble's into one of hbase.
func storeError(err error) error {
	if err != nil && pebble.IsCorruptionError(err) && !errors.Is(err, hbase.ErrCorrupt) {
		return fmt.Errorf("%w: %v", hbase.ErrCorrupt, err)
	}
	return err
}

// lockError tells a directory in use from one that can't be used at all. POSIX locks don't exclude within a process;
// Pebble does that by itself, and has no error value for it.
func lockError(dir string, err error) error {
	if errors.Is(err, syscall.EAGAIN) || strings.Contains(err.Error(), "lock held by current process") {
		return fmt.Errorf("%w: stop the process that has %s open, or name another directory", hbase.ErrLocked, dir)
	}
	return err
}

// openError tells apart why Pebble won't open a directory. It has no error values for formats.
func openError(err error) error {
	switch text := err.Error(); {
	case strings.Contains(text, "unknown format major version"):
		return fmt.Errorf("%w: a newer version of twibase wrote it; use that version (%v)", hbase.ErrFormat, err)
	case strings.Contains(text, "comparer name"):
		return fmt.Errorf("%w: it is a database of another program or of another version of twibase (%v)", hbase.ErrFormat, err)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: a file is missing: %v", hbase.ErrCorrupt, err)
	}
	return storeError(err)
}
