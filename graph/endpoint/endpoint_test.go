package endpoint

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"twibase/graph/exec"
	"twibase/graph/model"
	"twibase/graph/plan"
	"twibase/graph/plan/plantest"
	"twibase/graph/relay"
	"twibase/hbase/tables"
)

type root struct{ exec.ResolverRoot }

func (root) Query() exec.QueryResolver { return query{} }
func (root) User() exec.UserResolver   { return user{} }

type query struct{ exec.QueryResolver }

func (query) User(ctx context.Context, username string) (*tables.User, error) {
	switch username {
	case "nobody":
		return nil, nil
	case "broken":
		return nil, errors.New("secret")
	case "panic":
		panic("secret")
	case "slow":
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return &tables.User{Username: username, Name: ctx.Value(nameKey{}).(*string)}, nil
}

func (query) Node(_ context.Context, id tables.ID) (model.Node, error) {
	if id.Noun == tables.NounUser {
		return &tables.User{Username: id.Key}, nil
	}
	return nil, nil
}

type user struct{ exec.UserResolver }

func (user) Followers(_ context.Context, objs []*tables.User, first *int, after *string, last *int,
	before *string) ([]*model.UserConnection, error) {
	_, err := relay.CursorsOf(&tables.Followers.AnyList).Page(first, after, last, before)
	return make([]*model.UserConnection, len(objs)), err
}

type nameKey struct{}

func serve(timeout time.Duration) http.Handler {
	return New(plantest.Gqlgen(exec.NewExecutableSchema(exec.Config{Resolvers: root{}}), nil), Config{Timeout: timeout,
		Around: func(ctx context.Context) context.Context {
			name := "<李雷>"
			return context.WithValue(ctx, nameKey{}, &name)
		}})
}

func post(body string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/graphql", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	return r
}

func ask(query string) *http.Request {
	body, _ := json.Marshal(map[string]string{"query": query})
	return post(string(body))
}

func get(query, variables string) *http.Request {
	return httptest.NewRequest(http.MethodGet, "/graphql?"+url.Values{"query": {query}, "variables": {variables}}.Encode(),
		nil)
}

func with(r *http.Request, header, value string) *http.Request {
	r.Header.Set(header, value)
	return r
}

const graphQLResponse = "application/graphql-response+json"

func TestRequestsGetTheirStatusAndBody(t *testing.T) {
	badInput := func(message string) string {
		return `{"errors":[{"message":"` + message + `","extensions":{"code":"BAD_USER_INPUT"}}]}`
	}
	for _, test := range []struct {
		name    string
		request *http.Request
		status  int
		body    string
	}{
		{"query", ask(`{user(username:"LiLei"){id username name}}`), 200,
			`{"data":{"user":{"id":"VUxpTGVp","username":"LiLei","name":"<李雷>"}}}`},
		{"variables", post(`{"query":"query Q($u:String!){user(username:$u){username}}","variables":{"u":"LiLei"}}`), 200,
			`{"data":{"user":{"username":"LiLei"}}}`},
		{"charset in the content type",
			with(ask(`{user(username:"nobody"){username}}`), "Content-Type",
				"application/json; charset=utf-8"), 200, `{"data":{"user":null}}`},
		{"GET", get(`query Q($u:String!){user(username:$u){username}}`, `{"u":"LiLei"}`), 200,
			`{"data":{"user":{"username":"LiLei"}}}`},
		{"introspection", ask(`{__schema{queryType{name}}}`), 200, `{"data":{"__schema":{"queryType":{"name":"Query"}}}}`},
		{"id", ask(`{node(id:"VUxpTGVp"){id __typename}}`), 200, `{"data":{"node":{"id":"VUxpTGVp","__typename":"User"}}}`},
		{"malformed id", ask(`{node(id:"?"){id}}`), 200, `{"data":{"node":null}}`},
		{"overlong id", ask(`{node(id:"` + strings.Repeat("A", 513) + `"){id}}`), 200,
			`{"errors":[{"message":"expected a value of the type ID!, found \"` + strings.Repeat("A", 39) +
				`…: an id's length in bytes is limited to 512, and this is 513","locations":[{"line":1,"column":11}],` +
				`"extensions":{"actual":513,"code":"LIMIT_EXCEEDED","limit":512}}]}`},
		{"resolver error", ask(`{a:user(username:"broken"){name} b:user(username:"nobody"){name}}`), 200,
			`{"errors":[{"message":"internal error","path":["a"],"locations":[{"line":1,"column":2}],"extensions":{"code":"INTERNAL"}}],"data":{"a":null,"b":null}}`},
		{"resolver panic", ask(`{a:user(username:"panic"){name} b:user(username:"nobody"){name}}`), 200,
			`{"errors":[{"message":"internal error","path":["a"],"locations":[{"line":1,"column":2}],"extensions":{"code":"INTERNAL"}}],"data":{"a":null,"b":null}}`},
		{"too long page", ask(`{user(username:"LiLei"){followers(first:101){totalCount}}}`), 200,
			`{"errors":[{"message":"a page's number of entries is limited to 100, and this is 101","path":["user","followers"],"locations":[{"line":1,"column":25}],` +
				`"extensions":{"actual":101,"code":"LIMIT_EXCEEDED","limit":100}}],"data":{"user":{"followers":null}}}`},
		{"Int above 32 bits",
			post(`{"query":"query Q($n:Int){user(username:\"LiLei\"){followers(first:$n){totalCount}}}","variables":{"n":2147483648}}`), 200,
			`{"errors":[{"message":"$n: it must be a whole number from -2147483648 to 2147483647","locations":[{"line":1,"column":9}],` +
				`"extensions":{"code":"BAD_USER_INPUT"}}]}`},
		{"too large number in a variable",
			ask(`{user(username:"LiLei"){followers(first:99999999999999999999){totalCount}}}`), 200,
			`{"errors":[{"message":"expected a value of the type Int, found 99999999999999999999: it must be a whole number from -2147483648 to 2147483647","locations":[{"line":1,"column":41}],"extensions":{"code":"BAD_USER_INPUT"}}]}`},
		{"too large number as a Date",
			ask(`{game(code:"x"){plays(from:99999999999999999999,to:"2014-12-25"){day}}}`), 200,
			`{"errors":[{"message":"expected a value of the type Date!, found 99999999999999999999: it must be a string with a day such as 2014-12-25","locations":[{"line":1,"column":28}],"extensions":{"code":"BAD_USER_INPUT"}}]}`},
		{"invalid query", ask(`{secret}`), 200,
			`{"errors":[{"message":"Cannot query field \"secret\" on type \"Query\".","locations":[{"line":1,"column":2}],"extensions":{"code":"BAD_USER_INPUT"}}]}`},
		{"syntax error", ask(`{`), 200,
			`{"errors":[{"message":"Expected Name, found \u003cEOF\u003e","locations":[{"line":1,"column":2}],"extensions":{"code":"BAD_USER_INPUT"}}]}`},
		{"missing variable", post(`{"query":"query Q($u:String!){user(username:$u){name}}"}`), 200,
			`{"errors":[{"message":"$u: a value of the type String! is required","locations":[{"line":1,"column":9}],"extensions":{"code":"BAD_USER_INPUT"}}]}`},
		{"null as a condition", post(`{"query":"query($v:Boolean=true){viewer{...F}} fragment F on User{name@include(if:$v)}","variables":{"v":null}}`), 200,
			`{"errors":[{"message":"$v is the condition of a directive and can't be null: pass true or false, or leave it out","locations":[{"line":1,"column":7}],"extensions":{"code":"BAD_USER_INPUT"}}]}`},
		{"null as a required argument",
			post(`{"query":"query($v:Boolean=true,$w:Boolean=true){__type(name:\"Visibility\"){name@include(if:$w) enumValues(includeDeprecated:$v){name}}}","variables":{"v":null}}`), 200,
			`{"errors":[{"message":"the argument includeDeprecated: the variable $v can't be null here","path":["__type","enumValues"],"locations":[{"line":1,"column":86}],"extensions":{"code":"BAD_USER_INPUT"}}],` +
				`"data":{"__type":{"name":"Visibility","enumValues":null}}}`},
		{"unknown operation name", post(`{"query":"query Q{viewer{name}}","operationName":"R"}`), 200,
			`{"errors":[{"message":"operationName must name one of the document's operations","extensions":{"code":"BAD_USER_INPUT"}}]}`},
		{"invalid query, newer media type", with(ask(`{secret}`), "Accept", graphQLResponse), 400,
			`{"errors":[{"message":"Cannot query field \"secret\" on type \"Query\".","locations":[{"line":1,"column":2}],"extensions":{"code":"BAD_USER_INPUT"}}]}`},
		{"body that is not JSON", post(`{"query": secret}`), 400,
			badInput("the body is not the JSON object of a GraphQL request: invalid JSON after byte 9")},
		{"two objects in the body", post(`{"query":"{viewer{name}}"}{}`), 400,
			badInput("the body is not the JSON object of a GraphQL request: something follows it")},
		{"query that is not a string", post(`{"query":12345}`), 400,
			badInput("the body is not the JSON object of a GraphQL request: query can't be a JSON number")},
		{"variables that are not an object", post(`{"query":"{viewer{name}}","variables":"x"}`), 400,
			badInput("the body is not the JSON object of a GraphQL request: variables can't be a JSON string")},
		{"variables of a GET that are not an object", get(`{viewer{name}}`, `{`), 400,
			badInput("the parameter variables is no JSON object: it ends too early")},
		{"no query", post(`{}`), 400, badInput("the request lacks its query")},
		{"form, which a foreign page could send", with(ask(`{viewer{name}}`), "Content-Type", "text/plain"), 415,
			badInput("send the request as Content-Type: application/json")},
		{"too long body", post(`{"query":"` + strings.Repeat(" ", maxBody) + `"}`), 413,
			`{"errors":[{"message":"a request's body is limited to 1048576 bytes","extensions":{"code":"LIMIT_EXCEEDED","limit":1048576}}]}`},
		{"too long blanks after the body", post(`{"query":"{viewer{name}}"}` + strings.Repeat(" ", maxBody)), 413,
			`{"errors":[{"message":"a request's body is limited to 1048576 bytes","extensions":{"code":"LIMIT_EXCEEDED","limit":1048576}}]}`},
		{"other method", httptest.NewRequest(http.MethodPatch, "/graphql", nil), 405,
			badInput("send a request by POST, or a query by GET")},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := httptest.NewRecorder()
			serve(time.Minute).ServeHTTP(w, test.request)
			if diff := cmp.Diff(test.body, strings.TrimSpace(w.Body.String())); diff != "" || w.Code != test.status {
				t.Errorf("the status is %d, want %d; the body (-want +got):\n%s", w.Code, test.status, diff)
			}
		})
	}
}

type writable struct{ graphql.ExecutableSchema }

func (writable) Schema() *ast.Schema {
	return gqlparser.MustLoadSchema(&ast.Source{Input: `type Query { a: Int } type Mutation { a: Int }`})
}

func TestGetNeverWrites(t *testing.T) {
	w := httptest.NewRecorder()
	New(writable{}, Config{Timeout: time.Minute}).ServeHTTP(w, get(`mutation{a}`, ``))
	want := `{"errors":[{"message":"GET is for queries alone: send a mutation by POST","extensions":{"code":"BAD_USER_INPUT"}}]}`
	if diff := cmp.Diff(want, strings.TrimSpace(w.Body.String())); diff != "" || w.Code != 405 ||
		w.Header().Get("Allow") != "POST" {
		t.Errorf("the status is %d, want 405; the body (-want +got):\n%s", w.Code, diff)
	}
}

func TestAcceptSelectsTheMediaType(t *testing.T) {
	for _, test := range []struct{ name, accept, want string }{
		{"no Accept", "", mediaJSON},
		{"anything too", "*/*", mediaJSON},
		{"first supported type", "text/html, application/graphql-response+json; charset=utf-8, application/json;q=0.9",
			mediaGraphQL},
		{"first supported type is the older", "application/json, application/graphql-response+json", mediaJSON},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := httptest.NewRecorder()
			serve(time.Minute).ServeHTTP(w, with(ask(`{user(username:"nobody"){name}}`), "Accept", test.accept))
			if got := w.Header().Get("Content-Type"); got != test.want+"; charset=utf-8" {
				t.Errorf("Content-Type: got %s, want %s", got, test.want)
			}
		})
	}
}

func TestTimeoutIsReportedByItsCode(t *testing.T) {
	w := httptest.NewRecorder()
	serve(time.Millisecond).ServeHTTP(w, ask(`{user(username:"slow"){name}}`))
	if !strings.Contains(w.Body.String(), `"code":"TIMEOUT"`) {
		t.Errorf("response after the timeout: %s", w.Body)
	}
}

func TestTraceHasOperationAndErrors(t *testing.T) {
	stock := plan.Execution{Executor: "stock", Reason: "unplanned"}
	for _, test := range []struct {
		name    string
		request *http.Request
		want    Trace
	}{
		{"named operation", post(`{"query":"query Name{user(username:\"broken\"){name}}"}`),
			Trace{Operation: "Name", Kind: "query", Execution: stock, Errors: 1,
				Codes: map[string]int{"INTERNAL": 1}}},
		{"anonymous operation", ask(`{user(username:"nobody"){name}}`), Trace{Kind: "query", Execution: stock}},
		{"rejected operation", ask(`{a b}`), Trace{Errors: 2, Codes: map[string]int{"BAD_USER_INPUT": 2}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var trace Trace
			serve(time.Minute).ServeHTTP(httptest.NewRecorder(), test.request.WithContext(WithTrace(t.Context(), &trace)))
			if diff := cmp.Diff(test.want, trace, cmpopts.IgnoreFields(Trace{}, "Fields", "prepared")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestShortValidDocumentsAreCached(t *testing.T) {
	p := newPreparer(exec.NewExecutableSchema(exec.Config{}).Schema(), &Config{})
	documents := func() int { return len(p.cache.Values()) }
	document := func(i int, length int) string {
		return fmt.Sprintf("{__typename #%0*d\n}", length-len("{__typename #\n}"), i)
	}
	for _, text := range []string{document(0, cachedLength), document(0, cachedLength+1), "{"} {
		_, _ = p.document(text)
	}
	if n := documents(); n != 1 {
		t.Errorf("%d documents are cached, want only the valid short one", n)
	}
	for i := range cachedDocuments {
		if _, errs := p.document(document(i, cachedLength)); errs != nil {
			t.Fatal(errs)
		}
	}
	if n := documents(); n != cachedBytes/cachedLength {
		t.Errorf("%d documents of the maximum length are cached together", n)
	}
}

func newEndpoint(config Config) *Endpoint {
	config.Timeout = time.Minute
	if config.Around == nil {
		config.Around = func(ctx context.Context) context.Context { return ctx }
	}
	return New(exec.NewExecutableSchema(exec.Config{Resolvers: root{}}), config)
}

type writerFunc struct {
	*httptest.ResponseRecorder
	write func()
}

func (w writerFunc) Write(text []byte) (int, error) {
	w.write()
	return w.ResponseRecorder.Write(text)
}

// A response's memory is released when the ctx of Around ends.
func TestMemoryIsHeldUntilTheResponseIsWritten(t *testing.T) {
	var around context.Context
	e := newEndpoint(Config{Around: func(ctx context.Context) context.Context {
		around = ctx
		return ctx
	}})
	writes := 0
	w := writerFunc{httptest.NewRecorder(), func() {
		writes++
		if around.Err() != nil {
			t.Error("the memory is released before the response is written")
		}
	}}
	e.ServeHTTP(w, post(`{"query":"{ __typename }"}`))
	if writes == 0 || around.Err() == nil {
		t.Errorf("%d writes, and then the ctx of Around has the error %v", writes, around.Err())
	}
}

func TestDisconnectedClientGetsNoResponse(t *testing.T) {
	e := newEndpoint(Config{})
	ctx, leave := context.WithCancel(t.Context())
	leave()
	w := httptest.NewRecorder()
	e.ServeHTTP(w, post(`{"query":"{ __typename }"}`).WithContext(ctx))
	if w.Body.Len() > 0 {
		t.Errorf("got %s, want no response", w.Body)
	}
}
