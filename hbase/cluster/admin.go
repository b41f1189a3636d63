package cluster

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/tsuna/gohbase/hrpc"

	"twibase/hbase"
)

// CreateTable implements [hbase.Store]. It returns when every region of the table answers.
func (s *Store) CreateTable(ctx context.Context, table hbase.Table) error {
	if err := table.Validate(); err != nil {
		return err
	}
	ctx, cancel, err := s.beginAdmin(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	call := newCreateTable(ctx, table)
	if err := s.administer(call, s.admin.CreateTable(call)); err != nil {
		return err
	}
	return s.reach(ctx, table.Name)
}

func newCreateTable(ctx context.Context, table hbase.Table) *hrpc.CreateTable {
	families := make(map[string]map[string]string, len(table.Families))
	for _, f := range table.Families {
		families[f.Name] = attributes(f)
	}
	var splits [][]byte
	for _, key := range table.Splits {
		splits = append(splits, []byte(key))
	}
	return hrpc.NewCreateTable(ctx, []byte(table.Name), families, hrpc.SplitKeys(splits))
}

// attributes returns the attributes that gohbase sends. VERSIONS and DATA_BLOCK_ENCODING are always
// set, because gohbase's defaults are not HBase's: three versions, and an encoding that makes a Get
// five times as expensive.
func attributes(f hbase.FamilySchema) map[string]string {
	a := map[string]string{"VERSIONS": strconv.Itoa(max(f.Versions, 1)), "DATA_BLOCK_ENCODING": "NONE"}
	set := func(name, value string) {
		if value != "" {
			a[name] = value
		}
	}
	set("DATA_BLOCK_ENCODING", f.Encoding)
	set("BLOOMFILTER", f.Bloom)
	set("COMPRESSION", f.Compression)
	if f.BlockSize > 0 {
		set("BLOCKSIZE", strconv.Itoa(f.BlockSize))
	}
	if f.TTL > 0 {
		set("TTL", strconv.Itoa(int(f.TTL.Seconds())))
	}
	return a
}

// Tables implements [hbase.Store]. It lists namespace default, the only one that CreateTable uses. It
// reads hbase:meta, and needs no master.
func (s *Store) Tables(ctx context.Context) ([]string, error) {
	ctx, cancel, err := s.begin(ctx, 0)
	if err != nil {
		return nil, err
	}
	defer cancel()
	var names []string
	for row, err := range s.Scan(ctx, hbase.Scan{Table: metaTable, Columns: stateFamily}) {
		if err != nil {
			return nil, err
		}
		if !strings.Contains(row.Key, ":") { // another namespace
			names = append(names, row.Key)
		}
	}
	return names, nil
}

// hbase:meta has a row for each table, with its state in this family.
const (
	metaTable   = "hbase:meta"
	stateFamily = "table"
)

// DropTable implements [hbase.Store].
func (s *Store) DropTable(ctx context.Context, name string) error {
	ctx, cancel, err := s.beginAdmin(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	disable := hrpc.NewDisableTable(ctx, []byte(name))
	err = s.admin.DisableTable(disable)
	if err != nil && !strings.Contains(err.Error(), "TableNotEnabledException") { // an interrupted drop has disabled it
		return s.administer(disable, err)
	}
	drop := hrpc.NewDeleteTable(ctx, []byte(name))
	return s.administer(drop, s.admin.DeleteTable(drop))
}

// Flush writes the MemStore of a table to its files, for benchmarks. It takes a second. It creates
// and deletes a snapshot, because gohbase has no call that flushes.
func (s *Store) Flush(ctx context.Context, table string) error {
	ctx, cancel, err := s.beginAdmin(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	name := fmt.Sprintf("flush-%x", rand.Uint64())
	for _, step := range []func(*hrpc.Snapshot) error{s.admin.CreateSnapshot, s.admin.DeleteSnapshot} {
		call, err := hrpc.NewSnapshot(ctx, name, table)
		if err != nil {
			return fmt.Errorf("%w: %w", hbase.ErrInvalid, err)
		}
		if err := s.administer(call, step(call)); err != nil {
			return err
		}
	}
	return nil
}

// beginAdmin starts a call to the master, which ends if the master refuses connections.
func (s *Store) beginAdmin(ctx context.Context) (context.Context, context.CancelFunc, error) {
	ctx, end, err := s.begin(ctx, 0)
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := s.masters.orRefused(ctx)
	return ctx, func() { cancel(); end() }, nil
}

// administer stores the connection of an admin call for closeAdmin, and translates the call's
// error.
func (s *Store) administer(call hrpc.Call, err error) error {
	if region := call.Region(); region != nil {
		s.adminRegion.Store(&region)
	}
	s.observe(err)
	if refused := context.Cause(call.Context()); err != nil && errors.As(refused, new(refusal)) {
		return refused
	}
	return translate(err, place{string(call.Table()), serverAddress(call)})
}

// closeAdmin closes the connection to the master. gohbase's admin client has no Close.
func (s *Store) closeAdmin() {
	if region := s.adminRegion.Load(); region != nil {
		if client := (*region).Client(); client != nil {
			client.Close()
		}
	}
}
