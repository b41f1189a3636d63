package e2e

import (
	"context"
	"math"
	"math/rand/v2"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"twibase/graph/endpoint"
	"twibase/graph/exec"
	"twibase/graph/plan"
	"twibase/graph/plan/plantest"
	costs "twibase/graph/report"
	"twibase/hbase"
	"twibase/loaders"
	"twibase/resolvers"
	"twibase/transfer"
)

func stockSchema() graphql.ExecutableSchema {
	return plantest.Gqlgen(exec.NewExecutableSchema(exec.Config{Resolvers: &resolvers.Resolver{}}), tasksOf)
}

func tasksOf(ctx context.Context) plan.Tasks { return loaders.TasksOf(ctx) }

func eachRandomQuery(t *testing.T, store hbase.Store, n uint64, f func(r request)) {
	random := seedOf(t)
	pool := newExecutors(store).collectArguments(t)
	for i := range n {
		q := &queries{Rand: rand.New(rand.NewPCG(random, i)), schema: plannedSchema().Schema(), pool: pool}
		if text, variables := q.operation(); text[0] != 'm' && text[0] != 's' {
			f(request{query: text, variables: variables})
		}
	}
}

func (r request) reportOf(
	t *testing.T, executor string, schema graphql.ExecutableSchema, store hbase.Store,
) *costs.Report {
	t.Helper()
	a, body, err := r.costs(newReportHandler(store, schema), costs.Header)
	if err != nil {
		t.Fatal(err, string(excerpt(body)))
	}
	report := a.Extensions.Report
	if report != nil && (report.Executor != executor || report.Stalls != 0) {
		t.Fatalf("executor %q, %d stalls: %s", report.Executor, report.Stalls, r)
	}
	return report
}

type slowStore struct {
	hbase.Store
	latency time.Duration
}

func (d slowStore) Get(ctx context.Context, gets []hbase.Get) ([]hbase.Result, error) {
	time.Sleep(d.latency)
	return d.Store.Get(ctx, gets)
}

// If a response takes exactly the time of its rounds, no timer dispatched one. If no read was
// requested between two rounds, none was dispatched too early.
func TestPlanDispatchesWhenAllTasksWait(t *testing.T) {
	folder := generated(t, 1)
	synctest.Test(t, func(t *testing.T) {
		store, schema := inMemory(t), plannedSchema()
		importInto(t, store, folder, transfer.Options{})
		compared, deepest := 0, 0
		eachRandomQuery(t, store, 4000, func(r request) {
			report := r.reportOf(t, "plan", schema, slowStore{store, time.Millisecond})
			if report == nil || report.Scans > 0 { // scans run in parallel with rounds
				return
			}
			compared, deepest = compared+1, max(deepest, report.Rounds)
			if report.DurationMs != float64(report.Rounds) {
				t.Fatalf("%d rounds of a millisecond took %v: %s", report.Rounds, report.DurationMs, r)
			}
			for _, level := range report.Levels {
				for _, l := range level.Loaders {
					if math.Abs(l.Ms-level.Ms) > 1e-9 {
						t.Fatalf("%s was requested %v ms before the end of a round of %v ms: %s", l.Name, l.Ms, level.Ms, r)
					}
				}
			}
		})
		if compared < 300 || deepest < 6 {
			t.Errorf("compared %d queries with up to %d rounds, want more", compared, deepest)
		}
	})
}

type delayedSchema struct{ graphql.ExecutableSchema }

func (d delayedSchema) Exec(ctx context.Context) graphql.ResponseHandler {
	op := graphql.GetOperationContext(ctx)
	op.ResolverMiddleware = delayFields(op.ResolverMiddleware)
	respond := d.ExecutableSchema.Exec(ctx)
	op.ResolverMiddleware = delayFields(op.ResolverMiddleware)
	return respond
}

func delayFields(middleware graphql.FieldMiddleware) graphql.FieldMiddleware {
	return func(ctx context.Context, next graphql.Resolver) (any, error) {
		delay()
		defer delay()
		return middleware(ctx, next)
	}
}

func delay() {
	if rand.IntN(20) == 0 {
		time.Sleep(time.Duration(rand.IntN(100)) * time.Microsecond)
	}
}

// All tracked tasks wait before a dispatch, even delayed ones.
func TestStockExecutorNeedsNoTimer(t *testing.T) {
	store, planned, stock := inMemory(t), plannedSchema(), stockSchema()
	importInto(t, store, generated(t, 1), transfer.Options{})
	before, compared, deepest := watchdog.Stalls.Load(), 0, 0
	eachRandomQuery(t, store, 3000, func(r request) {
		store := slowStore{store, time.Duration(rand.IntN(500)) * time.Microsecond}
		report := r.reportOf(t, "stock", delayedSchema{stock}, store)
		if report == nil || report.Scans > 0 {
			return
		}
		compared, deepest = compared+1, max(deepest, report.Rounds)
		_, want := r.send(endpointOf(store, delayedSchema{stock}))
		_, got := r.send(endpointOf(store, planned))
		if difference, _ := compare(got, want, false); difference != "" {
			t.Fatalf("%s: %s", r, difference)
		}
	})
	if compared < 200 || deepest < 6 {
		t.Errorf("compared %d queries with up to %d rounds, want more", compared, deepest)
	}
	if failed := watchdog.Stalls.Load() - before; failed != 0 {
		t.Errorf("the watchdog failed %d responses", failed)
	}
}

func endpointOf(store hbase.Store, schema graphql.ExecutableSchema) http.Handler {
	return endpoint.New(schema, endpoint.Config{Timeout: time.Minute,
		Around: loadersOver(store)})
}
