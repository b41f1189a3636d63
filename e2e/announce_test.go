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

// oracleSchema is executed by gqlgen.
func oracleSchema() graphql.ExecutableSchema {
	return plantest.Gqlgen(exec.NewExecutableSchema(exec.Config{Resolvers: &resolvers.Resolver{}}), tasksOf)
}

func tasksOf(ctx context.Context) plan.Tasks { return loaders.TasksOf(ctx) }

// askAtRandom calls a function with random queries that are no mutations or subscriptions.
func askAtRandom(t *testing.T, store hbase.Store, n uint64, ask func(r request)) {
	random := *seed
	if random == 0 {
		random = rand.Uint64()
	}
	t.Logf("-seed %d", random)
	pool := newExecutors(store).harvest(t)
	for i := range n {
		q := &queries{Rand: rand.New(rand.NewPCG(random, i)), schema: plannedSchema().Schema(), pool: pool}
		if text, variables := q.operation(); text[0] != 'm' && text[0] != 's' {
			ask(request{query: text, variables: variables})
		}
	}
}

// reportOf returns the report of an answer, nil if it was refused.
func (r request) reportOf(t *testing.T, executor string, schema graphql.ExecutableSchema, store hbase.Store) *costs.Report {
	t.Helper()
	a, body, err := r.account(reporting(store, schema), costs.Header)
	if err != nil {
		t.Fatal(err, string(cut(body)))
	}
	report := a.Extensions.Report
	if report != nil && (report.Executor != executor || report.Stalls != 0) {
		t.Fatalf("it was executed by %q with %d stalls: %s", report.Executor, report.Stalls, r)
	}
	return report
}

// distant is a store whose answers take a while.
type distant struct {
	hbase.Store
	latency time.Duration
}

func (d distant) Get(ctx context.Context, gets []hbase.Get) ([]hbase.Result, error) {
	time.Sleep(d.latency)
	return d.Store.Get(ctx, gets)
}

// TestThePlanSendsABatchAtTheMomentWhenAllWait asks on a clock that stands still while anything runs: an answer takes just its rounds, so that no timer
// sent any of them, and nothing was asked for between two of them, so that none was sent too early.
func TestThePlanSendsABatchAtTheMomentWhenAllWait(t *testing.T) {
	folder := generated(t, 1)
	synctest.Test(t, func(t *testing.T) {
		store, schema := inMemory(t), plannedSchema()
		importInto(t, store, folder, transfer.Options{})
		compared, deepest := 0, 0
		askAtRandom(t, store, 4000, func(r request) {
			report := r.reportOf(t, "plan", schema, distant{store, time.Millisecond})
			if report == nil || report.Scans > 0 { // a scan runs beside the rounds
				return
			}
			compared, deepest = compared+1, max(deepest, report.Rounds)
			if report.DurationMs != float64(report.Rounds) {
				t.Fatalf("%d rounds of a millisecond took %v: %s", report.Rounds, report.DurationMs, r)
			}
			for _, level := range report.Levels {
				for _, l := range level.Loaders {
					if math.Abs(l.Ms-level.Ms) > 1e-9 {
						t.Fatalf("%s was asked %v ms before a round was over that took %v: %s", l.Name, l.Ms, level.Ms, r)
					}
				}
			}
		})
		if compared < 300 || deepest < 6 {
			t.Errorf("only %d queries were compared, with up to %d rounds", compared, deepest)
		}
	})
}

// dawdling executes each field a little later, and goes on with its value a little later too.
type dawdling struct{ graphql.ExecutableSchema }

func (d dawdling) Exec(ctx context.Context) graphql.ResponseHandler {
	op := graphql.GetOperationContext(ctx)
	op.ResolverMiddleware = late(op.ResolverMiddleware) // inside of what the oracle tracks
	respond := d.ExecutableSchema.Exec(ctx)
	op.ResolverMiddleware = late(op.ResolverMiddleware) // and outside
	return respond
}

func late(others graphql.FieldMiddleware) graphql.FieldMiddleware {
	return func(ctx context.Context, next graphql.Resolver) (any, error) {
		dawdle()
		defer dawdle()
		return others(ctx, next)
	}
}

func dawdle() {
	if rand.IntN(20) == 0 {
		time.Sleep(time.Duration(rand.IntN(100)) * time.Microsecond)
	}
}

// TestTheOracleWaitsForNoTimer delays fields at random. Whichever goroutine comes when, every read is dispatched because all tracked tasks wait, and the
// answer is the plan's.
func TestTheOracleWaitsForNoTimer(t *testing.T) {
	store, planned, oracle := inMemory(t), plannedSchema(), oracleSchema()
	importInto(t, store, generated(t, 1), transfer.Options{})
	before, compared, deepest := watchdog.Stalls.Load(), 0, 0
	askAtRandom(t, store, 3000, func(r request) {
		store := distant{store, time.Duration(rand.IntN(500)) * time.Microsecond}
		report := r.reportOf(t, "stock", dawdling{oracle}, store)
		if report == nil || report.Scans > 0 {
			return
		}
		compared, deepest = compared+1, max(deepest, report.Rounds)
		_, want := r.send(endpointOf(store, dawdling{oracle}))
		_, got := r.send(endpointOf(store, planned))
		if difference, _ := compare(got, want, false); difference != "" {
			t.Fatalf("%s: %s", r, difference)
		}
	})
	if compared < 200 || deepest < 6 {
		t.Errorf("only %d queries were compared, with up to %d rounds", compared, deepest)
	}
	if failed := watchdog.Stalls.Load() - before; failed != 0 {
		t.Errorf("the watchdog failed %d responses", failed)
	}
}

// endpointOf answers with the rows of the store.
func endpointOf(store hbase.Store, schema graphql.ExecutableSchema) http.Handler {
	return endpoint.New(schema, endpoint.Config{Timeout: time.Minute,
		Around: func(ctx context.Context) context.Context { return watchdog.With(ctx, store) }})
}
