package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql/introspection"
	"github.com/vektah/gqlparser/v2/ast"

	"twibase/e2e/dataset"
	"twibase/graph/auth"
	"twibase/graph/endpoint"
	"twibase/graph/endpoint/sse"
	"twibase/graph/exec"
	"twibase/graph/plan/plantest"
	"twibase/hbase"
	"twibase/hbase/hbasetest"
	"twibase/resolvers"
	"twibase/transfer"
)

var compared = flag.Int("compared", 0,
	"number of different random queries that both executors execute; 0 is 20000 in CI and 3000 elsewhere")

type executors struct {
	schema *ast.Schema
	known
	planned, stock http.Handler
}

func newExecutors(store hbase.Store) *executors {
	e := &executors{}
	withLoaders := func(ctx context.Context) context.Context { return watchdog.With(ctx, faultPlanOf(ctx).store(store)) }
	e.known = known{}
	config := exec.Config{Resolvers: faultyResolvers{&resolvers.Resolver{WithLoaders: withLoaders}, e.known}}
	around := endpoint.Config{Timeout: time.Minute, Around: withLoaders}
	stock := plantest.Gqlgen(exec.NewExecutableSchema(config), tasksOf)
	e.schema = stock.Schema()
	e.stock = endpoint.New(stock, around)
	e.planned = endpoint.New(exec.NewPlannedSchema(config, tasksOf), around)
	return e
}

type request struct {
	query     string
	variables map[string]any
	viewer    auth.Viewer
	faults    faultPlan
}

func (r request) String() string {
	variables, _ := json.Marshal(r.variables)
	return fmt.Sprintf("%s\nvariables %s\n%+v, %+v", r.query, variables, r.viewer, r.faults)
}

func (r request) send(handler http.Handler) (int, []byte) {
	body, err := json.Marshal(map[string]any{"query": r.query, "variables": r.variables})
	if err != nil {
		panic(err)
	}
	ctx := context.WithValue(context.Background(), faultPlanKey{}, r.faults)
	if r.viewer != (auth.Viewer{}) {
		ctx = auth.WithViewer(ctx, r.viewer)
	}
	post := httptest.NewRequestWithContext(ctx, http.MethodPost, "/graphql", bytes.NewReader(body))
	post.Header.Set("Content-Type", "application/json")
	if strings.HasPrefix(r.query, "subscription") {
		post.Header.Set("Accept", sse.MediaType)
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, post)
	return w.Code, w.Body.Bytes()
}

// valid is false if the request was rejected before execution.
func (e *executors) difference(r request) (difference string, valid bool) {
	status, planned := r.send(e.planned)
	stockStatus, stock := r.send(e.stock)
	if status != http.StatusOK || stockStatus != http.StatusOK {
		return fmt.Sprintf("status %d and %d: %s and %s", status, stockStatus, planned, stock), true
	}
	got, want := events(planned), events(stock)
	if len(got) != len(want) {
		return fmt.Sprintf("got %d events, want %d: %s", len(got), len(want), excerpt(planned)), true
	}
	for i := range got {
		difference, executed := compare(got[i], want[i], bytes.HasPrefix(stock, []byte(":")))
		if valid = valid || executed; difference != "" {
			return fmt.Sprintf("event %d: %s", i, difference), valid
		}
	}
	return "", valid
}

func events(body []byte) [][]byte {
	if !bytes.HasPrefix(body, []byte(":")) {
		return [][]byte{body}
	}
	var list [][]byte
	for line := range bytes.Lines(body) {
		if data, ok := bytes.CutPrefix(line, []byte("data: ")); ok {
			list = append(list, data)
		}
	}
	return list
}

func compare(planned, stock []byte, event bool) (difference string, executed bool) {
	var got, want response
	if err := json.Unmarshal(planned, &got); err != nil {
		return fmt.Sprintf("%v in %s", err, planned), true
	}
	if err := json.Unmarshal(stock, &want); err != nil {
		return fmt.Sprintf("%v in %s", err, stock), true
	}
	if !bytes.Equal(got.Data, want.Data) {
		return fmt.Sprintf("got the data\n%s\nwant\n%s\nerrors: got %+v, want %+v",
			excerpt(got.Data), excerpt(want.Data), got.Errors, want.Errors), true
	}
	if got.Data == nil {
		if !bytes.Equal(planned, stock) {
			return fmt.Sprintf("rejected with %s, want %s", planned, stock), false
		}
		return "", false
	}
	if event {
		want.addRoot()
	}
	return got.compare(want), true
}

func TestExecutorsAgree(t *testing.T) {
	n := queryCount(*compared)
	random := seedOf(t)
	t.Logf("-seed %d -compared %d", random, n)
	before, texts := watchdog.Stalls.Load(), map[uint64]bool{}
	for part, bound := range []int{0, 5} {
		store := hbasetest.NewWriteDetector(inMemory(t))
		importInto(t, store, generated(t, 1), transfer.Options{ListBound: bound})
		e := newExecutors(store)
		begin, counted := time.Now(), &tally{texts: texts}
		if err := e.compareUntil(e.collectArguments(t), random+uint64(bound), n*(part+1)/2, counted); err != nil {
			t.Fatalf("seed %d: %v", random, err)
		}
		if err := store.Err(); err != nil {
			t.Error(err)
		}
		t.Logf("buckets of %d: %d requests, %d executed, including %d mutations and %d subscriptions, in %s; %d different queries so far", bound, counted.asked, counted.executed,
			counted.mutations, counted.subscriptions, time.Since(begin).Round(time.Millisecond), len(texts))
		if counted.executed < counted.asked*17/20 || min(counted.mutations, counted.subscriptions) < counted.asked*3/100 {
			t.Error("too few requests were executed")
		}
	}
	if len(texts) < n {
		t.Errorf("executed %d different queries, want %d", len(texts), n)
	}
	if failed := watchdog.Stalls.Load() - before; failed != 0 {
		t.Errorf("the watchdog failed %d responses", failed)
	}
}

func TestExecutorsAgreeOnIntrospection(t *testing.T) {
	store := inMemory(t)
	importInto(t, store, generated(t, 1), transfer.Options{})
	for _, query := range []string{introspection.Query, `{__schema{directives{name args{name defaultValue}} queryType{name}} __type(name:"User"){name fields(includeDeprecated:true){name args{name type{name}}}} none:__type(name:"None"){name}}`} {
		if difference, valid := newExecutors(store).difference(request{query: query}); difference != "" || !valid {
			t.Errorf("%.60s…: valid %t; %s", query, valid, difference)
		}
	}
}

func (q *queries) request(text string, variables map[string]any) request {
	r := request{query: text, variables: maps.Clone(variables), faults: faultPlan{seed: q.Uint64()}}
	for _, name := range sortedKeys(variables) {
		switch value := variables[name].(type) {
		case bool:
			if r.variables[name] = value != q.chance(3); q.chance(1000) {
				r.variables[name] = nil
			}
		case int:
			r.variables[name] = min(value, q.IntN(6))
		}
	}
	switch q.IntN(6) {
	case 0:
		r.viewer = auth.Viewer{Username: "root", Admin: true}
	case 1:
		r.viewer = auth.Viewer{Username: q.word(dataset.Admin, dataset.Hub, dataset.Special, "ghost")}
	case 2, 3:
		r.viewer = auth.Viewer{Username: q.text("user", "username")}
	}
	kind := q.IntN(6)
	if kind < 3 {
		r.faults.errors = 5 + q.Uint64N(40)
	}
	if kind > 1 && kind < 5 {
		r.faults.missing = 5 + q.Uint64N(40)
	}
	return r
}

func (e *executors) collectArguments(t *testing.T) map[string][]string {
	r := request{viewer: auth.Viewer{Username: "root", Admin: true}, query: `{
		user:users(first:60){edges{cursor node{username id}}}
		isFollowing:user(username:"` + dataset.Hub + `"){followers(first:40){edges{cursor node{username}}} timeline(first:9){edges{cursor}} album(first:9){edges{cursor}} games{edges{cursor}} roles{edges{cursor}}}
		users(first:100){edges{cursor node{id username following(first:2){edges{cursor}} roles(first:3){edges{cursor}} twits(first:5){edges{cursor}}}}}
		twit:users(first:50){nodes{twits(first:5){nodes{id postedAt comments(first:3){edges{cursor node{id}}}}}}}
		roles(first:20){edges{cursor}} role:roles(first:20){nodes{id code users(first:5){edges{cursor}}}} hasRole:roles(first:20){nodes{code}}
		games(first:20){edges{cursor}} game:games(first:20){nodes{id code plays(from:"1970-01-01",to:"9999-12-31"){day} players(first:5){edges{cursor}}}} hasPlayed:games(first:20){nodes{code}}
		topDepartments{edges{cursor}}
		department:topDepartments{nodes{id code roles(first:5){edges{cursor}} descendants(first:50){edges{cursor node{id code subDepartments(first:3){edges{cursor}}}}}}}}`}
	_, body := r.send(e.planned)
	var answer any
	if err := json.Unmarshal(body, &answer); err != nil || bytes.Contains(body, []byte(`"errors"`)) {
		t.Fatal(err, string(excerpt(body)))
	}
	pool := map[string][]string{}
	var walk func(path []string, value any)
	walk = func(path []string, value any) {
		switch value := value.(type) {
		case map[string]any:
			for _, key := range sortedKeys(value) {
				walk(append(path, key), value[key])
			}
		case []any:
			for _, each := range value {
				walk(path, each)
			}
		case string:
			last := path[len(path)-1]
			pool[last] = append(pool[last], value)
			for i, field := range path[:len(path)-1] {
				if last != "cursor" || i == len(path)-3 {
					pool[field+" "+last] = append(pool[field+" "+last], value)
				}
			}
		}
	}
	walk(nil, answer)
	for _, name := range []string{"id", "user username", "role code", "game code", "department code",
		"twit id", "followers cursor", "descendants cursor", "game day", "postedAt"} {
		if len(pool[name]) < 10 {
			t.Fatalf("got %d values of %s, want at least 10", len(pool[name]), name)
		}
	}
	for _, noun := range nouns {
		e.known[noun] = pool[noun+" id"]
	}
	e.known["comment"] = pool["comments id"]
	return pool
}
