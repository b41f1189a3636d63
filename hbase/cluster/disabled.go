package cluster

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"twibase/hbase"
)

const (
	stateInterval = 500 * time.Millisecond
	stateTimeout  = 300 * time.Millisecond
)

// tableStates has the tables that may be or were disabled: gohbase would wait for their regions
// until the deadline.
type tableStates struct {
	mu     sync.Mutex
	states map[string]*tableState
}

type tableState struct {
	mu       sync.Mutex // held during a read of the state
	read     time.Time
	disabled atomic.Bool
}

func (t *tableStates) of(table string) *tableState {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.states == nil {
		t.states = map[string]*tableState{}
	}
	if t.states[table] == nil {
		t.states[table] = new(tableState)
	}
	return t.states[table]
}

// suspect makes the next call to an unknown region check the table's state.
func (t *tableStates) suspect(table string) { t.of(table) }

func (t *tableStates) known(table string) *tableState {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.states[table]
}

// checkEnabled returns an error if a call would wait for a disabled table. It reads the table's
// state if the region has no connection, or is unknown in a suspected table. A call over a
// connection fails only if the table is known to be disabled.
func (s *Store) checkEnabled(table, row string) error {
	region, state := s.regions.find(table, row), s.states.known(table)
	switch served := serverOf(region) != nil; {
	case state == nil && (served || region == nil), served && !state.disabled.Load():
		return nil
	}
	return s.disabledError(table)
}

func (s *Store) disabledError(table string) error {
	if table == metaTable {
		return nil
	}
	t := s.states.of(table)
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.disabled.Load() && time.Since(t.read) >= stateInterval {
		enabled, err := s.readEnabled(table)
		t.read = time.Now()
		if err == nil && !enabled && !s.closed.Load() {
			t.disabled.Store(true)
			s.log.Warn().Str("table", table).Msg("a table is disabled: calls fail until it is enabled")
			go s.awaitEnabled(table, t)
		}
	}
	if t.disabled.Load() {
		return fmt.Errorf("%w: table %s is disabled", hbase.ErrUnavailable, table)
	}
	return nil
}

func (s *Store) awaitEnabled(table string, t *tableState) {
	for {
		time.Sleep(stateInterval)
		if s.closed.Load() {
			return
		}
		if enabled, err := s.readEnabled(table); err == nil && enabled {
			t.disabled.Store(false)
			s.log.Info().Str("table", table).Msg("a disabled table is enabled again, or dropped")
			return
		}
	}
}

func (s *Store) readEnabled(table string) (bool, error) {
	ctx, cancel := context.WithTimeout(context.Background(), stateTimeout)
	defer cancel()
	get := newGet(ctx, metaTable, table, tableStateOnly)
	if _, err := s.sendOne(ctx, get); err != nil {
		return false, err
	}
	if len(get.cells) == 0 { // the table is missing
		return true, nil
	}
	// A protobuf message with the state: 0 is ENABLED.
	value := get.cells[0].Value
	field, kind, n := protowire.ConsumeTag(value)
	if n < 0 || field != 1 || kind != protowire.VarintType {
		return false, fmt.Errorf("%w: the state of table %s is %q", hbase.ErrCorrupt, table, value)
	}
	state, _ := protowire.ConsumeVarint(value[n:])
	return state == 0, nil
}

var tableStateOnly = &selection{
	columns: protoColumns([]hbase.Column{{Family: stateFamily, Qualifier: "state"}}),
}
