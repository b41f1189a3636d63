package cluster_test

import (
	"bytes"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
	"github.com/tsuna/gohbase/hrpc"
	"github.com/tsuna/gohbase/pb"

	"twibase/hbase"
	"twibase/hbase/cluster"
	"twibase/hbase/hbasetest/minihbase"
)

const busyTimeout = 2 * time.Second

func TestStatesOfAClusterHaveTheirErrors(t *testing.T) {
	minihbase.Slow(t)
	const controller = "org.apache.hadoop.hbase.security.access.AccessController"
	h, err := minihbase.StartWith(t.Context(), t.TempDir(), "hbase.quota.enabled=true", "hbase.quota.refresh.period=300",
		"hbase.security.authorization=true", "hbase.superuser=root",
		"hbase.coprocessor.master.classes="+controller, "hbase.coprocessor.region.classes="+controller)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Kill)
	t.Run("a missing right", func(t *testing.T) { testDenied(t, h.URL()) })
	t.Run("a read-only table", func(t *testing.T) { testReadOnly(t, h.URL()) })
	t.Run("a quota", func(t *testing.T) { testQuota(t, h.URL()) })
	t.Run("a gateway", func(t *testing.T) { testGateway(t, h.URL()) })
	t.Run("an empty znode", func(t *testing.T) { testEmptyZnode(t, h.URL()) })
}

type logBuffer struct {
	mu  sync.Mutex
	log bytes.Buffer
}

func (l *logBuffer) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.log.Write(line)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.log.String()
}

func openLogging(t *testing.T, url string, options ...cluster.Option) (*cluster.Store, *logBuffer) {
	t.Helper()
	log := new(logBuffer)
	logger := zerolog.New(log).Level(zerolog.InfoLevel)
	options = append([]cluster.Option{cluster.WithCallTimeout(busyTimeout)}, options...)
	store, err := cluster.Open(t.Context(), url, logger, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return store, log
}

func writes(t *testing.T, store hbase.Store, table string) map[string]error {
	t.Helper()
	put := hbase.Put{Table: table, Row: "r", Cells: []hbase.Cell{{Family: "f", Qualifier: "q"}}}
	errs, err := store.Mutate(t.Context(), []hbase.Mutation{put})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]error{"Put": errors.Join(errs...)}
	_, all["CheckAndPut"] = store.CheckAndPut(t.Context(), hbase.Check{Family: "f", Qualifier: "none"}, put)
	return all
}

func testDenied(t *testing.T, url string) {
	root, _ := openLogging(t, url)
	table := newTable(t, root)
	fill(t, root, table, []string{"r"})
	alice, log := openLogging(t, url, cluster.WithUser("alice"))
	for range 2 {
		results, err := alice.Get(t.Context(), []hbase.Get{{Table: table, Row: "r"}})
		if err != nil {
			t.Fatal(err)
		}
		all := writes(t, alice, table)
		all["Get"] = results[0].Err
		for call, err := range all {
			if !errors.Is(err, hbase.ErrDenied) || waitOf(err) != 0 || !strings.Contains(err.Error(), table) {
				t.Errorf("%s: %v, retry after %v", call, err, waitOf(err))
			}
		}
	}
	for _, right := range []string{"R", "W"} {
		line := "grant 'alice', '" + right + "', '" + table + "'"
		if n := strings.Count(log.String(), line); n != 1 {
			t.Errorf("the log has %q %d times, want once:\n%s", line, n, log)
		}
	}
	checkStateLog(t, log.String())
}

func waitOf(err error) time.Duration {
	if wait := (interface{ RetryAfter() time.Duration })(nil); errors.As(err, &wait) {
		return wait.RetryAfter()
	}
	return 0
}

func testReadOnly(t *testing.T, url string) {
	store, _ := openLogging(t, url)
	table := newReadOnlyTable(t, store)
	for call, err := range writes(t, store, table) {
		if !errors.Is(err, hbase.ErrRejected) || waitOf(err) != time.Second ||
			!strings.Contains(err.Error(), "region is read only") || !strings.Contains(err.Error(), "table "+table+", server ") {
			t.Errorf("%s: %v, retry after %v", call, err, waitOf(err))
		}
	}
	results, err := store.Get(t.Context(), []hbase.Get{{Table: table, Row: "r"}})
	if err != nil || results[0].Err != nil {
		t.Errorf("Get: %v, %v", results, err)
	}
}

func newReadOnlyTable(t *testing.T, store *cluster.Store) string {
	t.Helper()
	createReadOnly(t, store, "default", "readonly", map[string]map[string]string{"f": {}})
	awaitTable(t, store, "readonly")
	return "readonly"
}

func createReadOnly(t *testing.T, store *cluster.Store, namespace, name string, families map[string]map[string]string) {
	t.Helper()
	request := hrpc.NewCreateTable(t.Context(), []byte(name), families).ToProto().(*pb.CreateTableRequest)
	request.TableSchema.TableName.Namespace = []byte(namespace)
	request.TableSchema.Attributes = []*pb.BytesBytesPair{{First: []byte("READONLY"), Second: []byte("true")}}
	if err := store.Administer(t.Context(), "CreateTable", request, new(pb.CreateTableResponse)); err != nil {
		t.Fatal(err)
	}
}

func awaitTable(t *testing.T, store *cluster.Store, name string) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for err := store.Warm(t.Context(), name); err != nil; err = store.Warm(t.Context(), name) {
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func testQuota(t *testing.T, url string) {
	store, _ := openLogging(t, url)
	table, other := newTable(t, store), newTable(t, store)
	fill(t, store, table, []string{"r"})
	fill(t, store, other, []string{"r"})
	throttle(t, store, "default", table, 5)
	err := error(nil)
	begun := time.Now()
	for deadline := begun.Add(20 * time.Second); err == nil; {
		begun = time.Now()
		results, failed := store.Get(t.Context(), []hbase.Get{{Table: table, Row: "r"}})
		if err = results[0].Err; failed != nil || begun.After(deadline) {
			t.Fatalf("no call was throttled: %v", failed)
		}
		time.Sleep(20 * time.Millisecond)
	}
	all := writes(t, store, table)
	all["Get"] = err
	t.Run("calls are unavailable within the timeout, with HBase's time to wait", func(t *testing.T) {
		for call, err := range all {
			if !errors.Is(err, hbase.ErrUnavailable) || errors.Is(err, hbase.ErrUnresponsive) || waitOf(err) < time.Second {
				t.Errorf("%s: %v, retry after %v", call, err, waitOf(err))
			}
		}
		if took := time.Since(begun); took > 3*busyTimeout {
			t.Errorf("three calls took %v", took)
		}
	})
	t.Run("other tables of the server answer immediately", func(t *testing.T) {
		begun := time.Now()
		results, err := store.Get(t.Context(), []hbase.Get{{Table: other, Row: "r"}})
		if took := time.Since(begun); err != nil || results[0].Err != nil || took > busyTimeout/2 {
			t.Errorf("%v, %v after %v", results, err, took)
		}
	})
	t.Run("metrics count exceptions, and no unresponsive server or region", func(t *testing.T) {
		if n := metric(t, store, "twibase_store_exceptions_total", "RpcThrottlingException"); n < 3 {
			t.Errorf("%v exceptions", n)
		}
		for _, name := range []string{"twibase_store_regions_refused", "twibase_store_servers_unresponsive"} {
			if n := metric(t, store, name, ""); n != 0 {
				t.Errorf("%s is %v", name, n)
			}
		}
	})
}

func throttle(t *testing.T, store *cluster.Store, namespace, table string, calls uint64) {
	t.Helper()
	request := &pb.SetQuotaRequest{
		TableName: &pb.TableName{Namespace: []byte(namespace), Qualifier: []byte(table)},
		Throttle: &pb.ThrottleRequest{Type: pb.ThrottleType_REQUEST_NUMBER.Enum(), TimedQuota: &pb.TimedQuota{
			TimeUnit: pb.TimeUnit_MINUTES.Enum(), SoftLimit: &calls, Scope: pb.QuotaScope_MACHINE.Enum()}},
	}
	if err := store.Administer(t.Context(), "SetQuota", request, new(pb.SetQuotaResponse)); err != nil {
		t.Fatal(err)
	}
}

func metric(t *testing.T, store *cluster.Store, name, label string) float64 {
	t.Helper()
	registry := prometheus.NewRegistry()
	registry.MustRegister(store.Metrics()...)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		for _, m := range family.GetMetric() {
			if family.GetName() == name && (label == "" || m.GetLabel()[0].GetValue() == label) {
				return m.GetCounter().GetValue() + m.GetGauge().GetValue()
			}
		}
	}
	return 0
}
