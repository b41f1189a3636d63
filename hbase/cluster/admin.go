package cluster

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/tsuna/gohbase/hrpc"
	"github.com/tsuna/gohbase/pb"

	"twibase/hbase"
)

// CreateTable also creates a missing namespace. It returns when every region answers.
func (s *Store) CreateTable(ctx context.Context, table hbase.Table) error {
	if err := table.Validate(); err != nil {
		return err
	}
	table.Name = s.FullName(table.Name)
	ctx, cancel, err := s.beginAdmin(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	err = s.createTable(ctx, table)
	if errors.Is(err, errNoNamespace) {
		if err := s.createNamespace(ctx); err != nil {
			return err
		}
		err = s.createTable(ctx, table)
	}
	if err != nil {
		return err
	}
	return s.awaitRegions(ctx, table.Name)
}

func (s *Store) createTable(ctx context.Context, table hbase.Table) error {
	return s.runProcedure(ctx, "CreateTable", table.Name, newCreateTable(table), new(pb.CreateTableResponse))
}

var (
	errNoNamespace     = fmt.Errorf("%w: namespace not found", hbase.ErrInvalid)
	errNamespaceExists = fmt.Errorf("%w: namespace exists", hbase.ErrInvalid)
	errNotEnabled      = fmt.Errorf("%w: table is not enabled", hbase.ErrInvalid)
)

func (s *Store) createNamespace(ctx context.Context) error {
	name := strings.TrimSuffix(s.prefix, ":")
	request := &pb.CreateNamespaceRequest{NamespaceDescriptor: &pb.NamespaceDescriptor{Name: []byte(name)}}
	// gohbase's CreateNamespaceResponse lacks the id of the procedure.
	err := s.runProcedure(ctx, "CreateNamespace", s.FullName("*"), request, new(pb.CreateTableResponse))
	switch {
	case err == nil || errors.Is(err, errNamespaceExists):
		return nil
	case errors.Is(err, hbase.ErrDenied):
		return fmt.Errorf("%w; or have an administrator run: create_namespace '%s'", err, name)
	}
	return err
}

func newCreateTable(table hbase.Table) *pb.CreateTableRequest {
	families := make(map[string]map[string]string, len(table.Families))
	for _, f := range table.Families {
		families[f.Name] = attributes(f)
	}
	var splits [][]byte
	for _, key := range table.Splits {
		splits = append(splits, []byte(key))
	}
	call := hrpc.NewCreateTable(context.Background(), nil, families, hrpc.SplitKeys(splits))
	request := call.ToProto().(*pb.CreateTableRequest)
	request.TableSchema.TableName = protoName(table.Name)
	name, value := timeToPurgeDeletes, strconv.FormatInt(hbase.TimeToPurgeDeletes.Milliseconds(), 10)
	for _, f := range request.TableSchema.ColumnFamilies {
		f.Configuration = []*pb.NameStringPair{{Name: &name, Value: &value}}
	}
	return request
}

// timeToPurgeDeletes replaces HBase's default 0, with which a major compaction would drop all
// delete markers.
const timeToPurgeDeletes = "hbase.hstore.time.to.purge.deletes"

// attributes replaces gohbase's defaults: three versions, and an encoding that makes a Get five
// times as expensive. With ROW_INDEX_V1, a Get finds its row in a block by binary search.
func attributes(f hbase.FamilySchema) map[string]string {
	a := map[string]string{
		"VERSIONS":            strconv.Itoa(max(f.Versions, 1)),
		"DATA_BLOCK_ENCODING": "ROW_INDEX_V1",
		"BLOOMFILTER":         "ROW",
	}
	if f.TTL > 0 {
		a["TTL"] = strconv.Itoa(int(f.TTL.Seconds()))
	}
	return a
}

// Tables reads hbase:meta, so it does not need the master.
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
		if name, ok := s.shortName(row.Key); ok {
			names = append(names, name)
		}
	}
	return names, nil
}

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
	name = s.FullName(name)
	err = s.runProcedure(ctx, "DisableTable", name, &pb.DisableTableRequest{TableName: protoName(name)},
		new(pb.DisableTableResponse))
	if err != nil && !errors.Is(err, errNotEnabled) { // errNotEnabled: an interrupted drop has disabled it
		return err
	}
	return s.runProcedure(ctx, "DeleteTable", name, &pb.DeleteTableRequest{TableName: protoName(name)},
		new(pb.DeleteTableResponse))
}

// Flush writes a table's MemStore to files, for benchmarks. gohbase has no such call, so Flush
// creates and deletes a snapshot, which takes about a second.
func (s *Store) Flush(ctx context.Context, table string) error {
	ctx, cancel, err := s.beginAdmin(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	name := fmt.Sprintf("flush-%x", rand.Uint64())
	for _, send := range []func(*hrpc.Snapshot) error{s.admin.CreateSnapshot, s.admin.DeleteSnapshot} {
		call, err := hrpc.NewSnapshot(ctx, name, s.FullName(table))
		if err != nil {
			return fmt.Errorf("%w: %w", hbase.ErrInvalid, err)
		}
		if err := s.finishAdminCall(call, send(call)); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) beginAdmin(ctx context.Context) (context.Context, context.CancelFunc, error) {
	ctx, end, err := s.begin(ctx, 0)
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := s.masters.orRefused(ctx)
	return ctx, func() { cancel(); end() }, nil
}

func (s *Store) finishAdminCall(call hrpc.Call, err error) error {
	if region := call.Region(); region != nil {
		s.adminRegion.Store(&region)
	}
	s.observe(err)
	if refused := context.Cause(call.Context()); err != nil && errors.As(refused, new(refusal)) {
		return refused
	}
	return translate(err, location{string(call.Table()), serverAddress(call)})
}

func (s *Store) closeAdmin() {
	if region := s.adminRegion.Load(); region != nil {
		if client := (*region).Client(); client != nil {
			client.Close()
		}
	}
}
