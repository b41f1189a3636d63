package cluster

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
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
	ctx, cancel, err := s.begin(ctx, 0)
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

// attributes returns the attributes that gohbase sends. Two of gohbase's defaults are not HBase's, and are always set: three versions, and an
// encoding that makes a Get five times as costly as no encoding.
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
	return a
}

// Tables implements [hbase.Store]. It lists namespace default, which is the only one that tables are made in.
func (s *Store) Tables(ctx context.Context) ([]string, error) {
	ctx, cancel, err := s.begin(ctx, 0)
	if err != nil {
		return nil, err
	}
	defer cancel()
	call, err := hrpc.NewListTableNames(ctx, hrpc.ListNamespace("default"))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", hbase.ErrInvalid, err)
	}
	list, err := s.admin.ListTableNames(call)
	if err := s.administer(call, err); err != nil {
		return nil, err
	}
	names := make([]string, len(list))
	for i, name := range list {
		names[i] = string(name.Qualifier)
	}
	slices.Sort(names)
	return names, nil
}

// DropTable implements [hbase.Store].
func (s *Store) DropTable(ctx context.Context, name string) error {
	ctx, cancel, err := s.begin(ctx, 0)
	if err != nil {
		return err
	}
	defer cancel()
	disable := hrpc.NewDisableTable(ctx, []byte(name))
	err = s.admin.DisableTable(disable)
	if err != nil && !strings.Contains(err.Error(), "TableNotEnabledException") { // which an interrupted drop left
		return s.administer(disable, err)
	}
	drop := hrpc.NewDeleteTable(ctx, []byte(name))
	return s.administer(drop, s.admin.DeleteTable(drop))
}

// Flush writes what the region servers hold of a table in memory to its files, as they do by themselves when it has grown: benchmarks read tables
// that have been there for a while. It takes a second. It takes a snapshot and drops it, as gohbase has no other call that flushes.
func (s *Store) Flush(ctx context.Context, table string) error {
	ctx, cancel, err := s.begin(ctx, 0)
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

// administer keeps the connection of an admin's call for closeAdmin, and translates the call's error.
func (s *Store) administer(call hrpc.Call, err error) error {
	if region := call.Region(); region != nil {
		s.adminRegion.Store(&region)
	}
	return translate(err, string(call.Table()))
}

// closeAdmin closes the connection to the master, which gohbase's admin client has no method for.
func (s *Store) closeAdmin() {
	if region := s.adminRegion.Load(); region != nil {
		if client := (*region).Client(); client != nil {
			client.Close()
		}
	}
}
