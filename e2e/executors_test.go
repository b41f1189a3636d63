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
	"os"
	"runtime/debug"
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

var compared = flag.Int("compared", 0, "how many random queries, each a text of its own that is executed, both executors answer; 0 is 20000 in CI and 3000 elsewhere")

// executors are both of them, over the same store and resolvers.
type executors struct {
	schema *ast.Schema
	// known is what mutations and subscriptions answer with.
	known
	planned, stock http.Handler
}

func newExecutors(store hbase.Store) *executors {
	e := &executors{}
	fresh := func(ctx context.Context) context.Context { return watchdog.With(ctx, whimsOf(ctx).store(store)) }
	e.known = known{}
	config := exec.Config{Resolvers: holey{&resolvers.Resolver{Fresh: fresh}, e.known}}
	around := endpoint.Config{Timeout: time.Minute, Around: func(ctx context.Context) context.Context { return fresh(ctx) }}
	stock := plantest.Gqlgen(exec.NewExecutableSchema(config), tasksOf)
	e.schema = stock.Schema()
	e.stock = endpoint.New(stock, around)
	e.planned = endpoint.New(exec.NewPlannedSchema(config, tasksOf), around)
	return e
}

// request is a query, who asks it, and what goes wrong meanwhile.
type request struct {
	query     string
	variables map[string]any
	viewer    auth.Viewer
	whims     whims
}

func (r request) String() string {
	variables, _ := json.Marshal(r.variables)
	return fmt.Sprintf("%s\nwith %s\nfor %+v, %+v", r.query, variables, r.viewer, r.whims)
}

func (r request) send(handler http.Handler) (int, []byte) {
	body, err := json.Marshal(map[string]any{"query": r.query, "variables": r.variables})
	if err != nil {
		panic(err)
	}
	ctx := context.WithValue(context.Background(), whimsKey{}, r.whims)
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

// differ says how the answers of both executors differ, if they do. valid tells whether there was anything to execute.
func (e *executors) differ(r request) (difference string, valid bool) {
	status, planned := r.send(e.planned)
	stockStatus, stock := r.send(e.stock)
	if status != http.StatusOK || stockStatus != http.StatusOK {
		return fmt.Sprintf("status %d and %d: %s and %s", status, stockStatus, planned, stock), true
	}
	got, want := events(planned), events(stock)
	if len(got) != len(want) {
		return fmt.Sprintf("there are %d events, and should be %d: %s", len(got), len(want), cut(planned)), true
	}
	for i := range got {
		difference, executed := compare(got[i], want[i], bytes.HasPrefix(stock, []byte(":")))
		if valid = valid || executed; difference != "" {
			return fmt.Sprintf("answer %d: %s", i, difference), valid
		}
	}
	return "", valid
}

// events are the answers of a subscription, or the only one of what is none.
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

// compare says how an answer, or an event, differs from what it should be. executed tells whether there was anything to execute.
func compare(planned, stock []byte, event bool) (difference string, executed bool) {
	var got, want response
	if err := json.Unmarshal(planned, &got); err != nil {
		return fmt.Sprintf("%v in %s", err, planned), true
	}
	if err := json.Unmarshal(stock, &want); err != nil {
		return fmt.Sprintf("%v in %s", err, stock), true
	}
	if !bytes.Equal(got.Data, want.Data) {
		return fmt.Sprintf("the plan's data are\n%s\nand should be\n%s\nits errors %+v and %+v", cut(got.Data), cut(want.Data), got.Errors, want.Errors), true
	}
	if got.Data == nil {
		if !bytes.Equal(planned, stock) {
			return fmt.Sprintf("refused with %s, and should be with %s", planned, stock), false
		}
		return "", false
	}
	if event {
		want.rooted()
	}
	return got.compare(want), true
}

// TestExecutors asks both executors random queries, mutations and subscriptions, with faults of the store and holes in what resolvers return.
func TestExecutors(t *testing.T) {
	n := *compared
	if n == 0 {
		if n = 3000; os.Getenv("CI") != "" {
			n = 20_000
		}
	}
	random := *seed
	if random == 0 {
		random = uint64(time.Now().UnixNano())
	}
	t.Logf("-seed %d -compared %d", random, n)
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	before, texts := watchdog.Stalls.Load(), map[uint64]bool{}
	for part, bound := range []int{0, 5} {
		store := hbasetest.NewUnwritten(inMemory(t))
		importInto(t, store, generated(t, 1), transfer.Options{ListBound: bound})
		e := newExecutors(store)
		begin, counted := time.Now(), &tally{texts: texts}
		if err := e.compareUntil(e.harvest(t), random+uint64(bound), n*(part+1)/2, counted); err != nil {
			t.Fatalf("of seed %d: %v", random, err)
		}
		if err := store.Err(); err != nil {
			t.Error(err)
		}
		t.Logf("lists of %d: %d were asked and %d executed, %d mutations and %d subscriptions among these, in %s; so far %d texts", bound, counted.asked, counted.executed,
			counted.mutations, counted.subscriptions, time.Since(begin).Round(time.Millisecond), len(texts))
		if counted.executed < counted.asked*7/10 || min(counted.mutations, counted.subscriptions) < counted.asked*3/100 {
			t.Error("too few of the queries are executed")
		}
	}
	if len(texts) < n {
		t.Errorf("only %d different queries were executed", len(texts))
	}
	if failed := watchdog.Stalls.Load() - before; failed != 0 {
		t.Errorf("the watchdog failed %d responses", failed)
	}
}

// TestExecutorsTellTheSameSchema asks both what every tool asks first.
func TestExecutorsTellTheSameSchema(t *testing.T) {
	store := inMemory(t)
	importInto(t, store, generated(t, 1), transfer.Options{})
	for _, query := range []string{introspection.Query, `{__schema{directives{name args{name defaultValue}} queryType{name}} __type(name:"User"){name fields(includeDeprecated:true){name args{name type{name}}}} none:__type(name:"None"){name}}`} {
		if difference, valid := newExecutors(store).differ(request{query: query}); difference != "" || !valid {
			t.Errorf("%.60s…: valid is %t; %s", query, valid, difference)
		}
	}
}

// request asks a query with some of its variables changed, for anybody, while something may go wrong.
func (q *queries) request(text string, variables map[string]any) request {
	r := request{query: text, variables: maps.Clone(variables), whims: whims{seed: q.Uint64()}}
	for _, name := range sortedKeys(variables) {
		switch value := variables[name].(type) {
		case bool:
			if r.variables[name] = value != q.chance(3); q.chance(100) {
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
	trouble := q.IntN(6)
	if trouble < 3 {
		r.whims.faults = 5 + q.Uint64N(40)
	}
	if trouble > 1 && trouble < 5 {
		r.whims.holes = 5 + q.Uint64N(40)
	}
	return r
}

// harvest asks for ids, cursors and names. The aliases tell the fields that take them.
func (e *executors) harvest(t *testing.T) map[string][]string {
	r := request{viewer: auth.Viewer{Username: "root", Admin: true}, query: `{
		user:users(first:60){edges{cursor node{username id}}}
		isFollowing:user(username:"` + dataset.Hub + `"){followers(first:40){edges{cursor node{username}}} timeline(first:9){edges{cursor}} album(first:9){edges{cursor}} games{edges{cursor}} roles{edges{cursor}}}
		users(first:100){edges{cursor node{id username following(first:2){edges{cursor}} roles(first:3){edges{cursor}} twits(first:5){edges{cursor}}}}}
		twit:users(first:50){nodes{twits(first:5){nodes{id comments(first:3){edges{cursor node{id}}}}}}}
		roles(first:20){edges{cursor}} role:roles(first:20){nodes{id code users(first:5){edges{cursor}}}} hasRole:roles(first:20){nodes{code}}
		games(first:20){edges{cursor}} game:games(first:20){nodes{id code plays(from:"1970-01-01",to:"9999-12-31"){day} players(first:5){edges{cursor}}}} hasPlayed:games(first:20){nodes{code}}
		topDepartments{edges{cursor}}
		department:topDepartments{nodes{id code roles(first:5){edges{cursor}} descendants(first:50){edges{cursor node{id code subDepartments(first:3){edges{cursor}}}}}}}}`}
	_, body := r.send(e.planned)
	var answer any
	if err := json.Unmarshal(body, &answer); err != nil || bytes.Contains(body, []byte(`"errors"`)) {
		t.Fatal(err, string(cut(body)))
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
				if last != "cursor" || i == len(path)-3 { // a cursor is of the nearest field, whose edges have it
					pool[field+" "+last] = append(pool[field+" "+last], value)
				}
			}
		}
	}
	walk(nil, answer)
	for _, name := range []string{"id", "user username", "role code", "game code", "department code", "twit id", "followers cursor", "descendants cursor", "game day"} {
		if len(pool[name]) < 10 {
			t.Fatalf("the harvest has %d of %s", len(pool[name]), name)
		}
	}
	for _, noun := range nouns {
		e.known[noun] = pool[noun+" id"]
	}
	e.known["comment"] = pool["comments id"]
	return pool
}
