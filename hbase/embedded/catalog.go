package embedded

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/cockroachdb/pebble/v2"

	"twibase/hbase"
)

// Increment formatVersion if older versions would misread new bytes.
const formatVersion = 1

var (
	formatKey    = append(appendTable(nil, 0), "format"...)
	lastTableKey = append(appendTable(nil, 0), "last-table"...)
	tablePrefix  = append(appendTable(nil, 0), "table/"...)
)

func (s *Store) loadCatalog() error {
	if err := s.checkFormat(); err != nil {
		return err
	}
	s.tables = map[string]*table{}
	end := append(bytes.Clone(tablePrefix), 0xff)
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: tablePrefix, UpperBound: end})
	if err != nil {
		return storeError(err)
	}
	defer it.Close()
	for it.First(); it.Valid(); it.Next() {
		var stored storedTable
		name := string(it.Key()[len(tablePrefix):])
		if err := json.Unmarshal(it.Value(), &stored); err != nil || stored.ID == 0 {
			return fmt.Errorf("%w: definition of table %q: %q", hbase.ErrCorrupt, name, it.Value())
		}
		s.tables[name] = newTable(stored.ID, name, stored.Families)
	}
	return storeError(it.Error())
}

func (s *Store) checkFormat() error {
	version, found, err := s.number(formatKey)
	switch {
	case err != nil:
		return err
	case found && version > formatVersion:
		return fmt.Errorf("%w %d: a newer version of twibase wrote it; this one reads formats up to %d",
			hbase.ErrFormat, version, formatVersion)
	case found:
		return nil
	}
	if err := s.db.Set(formatKey, strconv.AppendUint(nil, formatVersion, 10), s.sync()); err != nil {
		return storeError(err)
	}
	// Pebble's first log of a new database lacks the fields that checkLogs needs.
	return s.endLog()
}

// endLog flushes, which begins a new log.
func (s *Store) endLog() error {
	if s.volatile {
		return nil
	}
	return storeError(s.db.Flush())
}

func (s *Store) number(key []byte) (n uint64, found bool, err error) {
	value, closer, err := s.db.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return 0, false, nil
	} else if err != nil {
		return 0, false, storeError(err)
	}
	defer closer.Close()
	if n, err = strconv.ParseUint(string(value), 10, 32); err != nil {
		return 0, false, fmt.Errorf("%w: %q holds %q", hbase.ErrCorrupt, key, value)
	}
	return n, true, nil
}

func (s *Store) sync() *pebble.WriteOptions {
	if s.volatile {
		return pebble.NoSync
	}
	return pebble.Sync
}

// Tables implements [hbase.Store].
func (s *Store) Tables(ctx context.Context) ([]string, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.leave()
	return slices.Sorted(maps.Keys(s.tables)), nil
}

// CreateTable ignores the splits.
func (s *Store) CreateTable(ctx context.Context, definition hbase.Table) error {
	if err := definition.Validate(); err != nil {
		return err
	}
	return s.changeTables(ctx, func(b *pebble.Batch) (map[string]*table, error) {
		if s.tables[definition.Name] != nil {
			return nil, fmt.Errorf("%w: %q", hbase.ErrTableExists, definition.Name)
		}
		last, _, err := s.number(lastTableKey)
		if err != nil {
			return nil, err
		}
		stored := storedTable{ID: uint32(last) + 1, Families: definition.Families}
		value, err := json.Marshal(stored)
		if err != nil {
			return nil, err
		}
		b.Set(lastTableKey, strconv.AppendUint(nil, uint64(stored.ID), 10), nil)
		b.Set(append(bytes.Clone(tablePrefix), definition.Name...), value, nil)
		tables := maps.Clone(s.tables)
		tables[definition.Name] = newTable(stored.ID, definition.Name, stored.Families)
		return tables, nil
	})
}

// DropTable implements [hbase.Store].
func (s *Store) DropTable(ctx context.Context, name string) error {
	return s.changeTables(ctx, func(b *pebble.Batch) (map[string]*table, error) {
		t, err := s.table(name)
		if err != nil {
			return nil, err
		}
		b.Delete(append(bytes.Clone(tablePrefix), name...), nil)
		b.DeleteRange(appendTable(nil, t.id), appendTable(nil, t.id+1), nil)
		tables := maps.Clone(s.tables)
		delete(tables, name)
		return tables, nil
	})
}

func (s *Store) changeTables(ctx context.Context, change func(*pebble.Batch) (map[string]*table, error)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return hbase.ErrClosed
	}
	b := s.db.NewBatch()
	defer b.Close()
	tables, err := change(b)
	if err != nil {
		return err
	}
	if err := b.Commit(s.sync()); err != nil {
		return storeError(err)
	}
	s.tables = tables
	return nil
}
