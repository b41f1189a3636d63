package plan

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/99designs/gqlgen/graphql/handler/lru"
	"github.com/vektah/gqlparser/v2/ast"
)

func TestCompiledOperationsAreCached(t *testing.T) {
	t.Run("an operation is compiled once", func(t *testing.T) {
		schema := people().build()
		e := newExecutor(schema)
		e.SetQueryCache(lru.New[*ast.QueryDocument](10))
		for range 3 {
			if got := execute(e, `{me{name}}`, "", nil); got != `{"data":{"me":{"name":"a"}}}` {
				t.Error(got)
			}
		}
		if n := len(schema.compiler.cache.Values()); n != 1 {
			t.Errorf("%d operations are cached, want 1", n)
		}
	})
	t.Run("each combination of Boolean variables is a variant", func(t *testing.T) {
		schema := people().build()
		e := newExecutor(schema)
		e.SetQueryCache(lru.New[*ast.QueryDocument](10))
		query := `query($a:Boolean!,$b:Boolean=true,$n:Int){me{x:name@include(if:$a) ...F} echo(n:$n)} fragment F on Person{y:name@skip(if:$b) first}`
		for n := range 12 {
			variables := map[string]any{"a": n%2 == 0, "n": n}
			want := ""
			if n%2 == 0 {
				want = `"x":"a",`
			}
			if n%3 != 0 {
				if variables["b"] = n%3 == 1; n%3 == 2 {
					want += `"y":"a",`
				}
			}
			want = fmt.Sprintf(`{"data":{"me":{%s"first":null},"echo":"map[arg:none n:%d]"}}`, want, n)
			if got := execute(e, query, "", variables); got != want {
				t.Errorf("response with %v:\ngot  %s\nwant %s", variables, got, want)
			}
		}
		if n := len(schema.compiler.cache.Values()); n != 4 {
			t.Errorf("%d variants are cached, want 4", n)
		}
	})
	t.Run("64 variants", func(t *testing.T) {
		e := newExecutor(people().build())
		e.SetQueryCache(lru.New[*ast.QueryDocument](10))
		for n := range 64 {
			variables, fields, want := map[string]any{}, "", ""
			for bit := range 6 {
				on := n>>bit&1 == 1
				variables[fmt.Sprint("v", bit)] = on
				fields += fmt.Sprintf(" f%d:name@include(if:$v%d)", bit, bit)
				if on {
					want += fmt.Sprintf(`,"f%d":"a"`, bit)
				}
			}
			got := execute(e, `query($v0:Boolean!,$v1:Boolean!,$v2:Boolean!,$v3:Boolean!,$v4:Boolean!,$v5:Boolean!){me{`+fields+`}}`, "", variables)
			if want := `{"data":{"me":{` + strings.TrimPrefix(want, ",") + `}}}`; got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		}
	})
	t.Run("operations of one document", func(t *testing.T) {
		e := newExecutor(people().build())
		e.SetQueryCache(lru.New[*ast.QueryDocument](10))
		query := `query A{me{name}} query B{me{tags}} mutation C{add(n:1){total}}`
		for operation, want := range map[string]string{"A": `{"me":{"name":"a"}}`, "B": `{"me":{"tags":["x","y"]}}`, "C": `{"add":null}`} {
			if got := execute(e, query, operation, nil); got != `{"data":`+want+`}` {
				t.Errorf("operation %s: got %s", operation, got)
			}
		}
	})
	t.Run("the cache is bounded", func(t *testing.T) {
		schema := people().build()
		e := newExecutor(schema)
		for n := range maxVariants + 50 {
			execute(e, fmt.Sprintf(`{me{a%d:name}}`, n), "", nil)
		}
		if n := len(schema.compiler.cache.Values()); n != maxVariants {
			t.Errorf("%d operations are cached, want %d", n, maxVariants)
		}
		for n := range maxVariants {
			short := fmt.Sprintf(`{me{a%d:name}}`, n)
			execute(e, short+strings.Repeat(" ", maxCachedText-len(short)), "", nil)
		}
		if n := len(schema.compiler.cache.Values()); n != maxCachedTexts/maxCachedText {
			t.Errorf("%d operations with long texts are cached", n)
		}
		schema = people().build()
		e = newExecutor(schema)
		execute(e, `{me{name}}`+strings.Repeat(" ", maxCachedText), "", nil)
		execute(e, doubled(11), "", nil)
		if n := len(schema.compiler.cache.Values()); n != 0 {
			t.Errorf("%d large operations are cached, want none", n)
		}
	})
	t.Run("concurrent executions of an operation", func(t *testing.T) {
		e := newExecutor(people().build())
		e.SetQueryCache(lru.New[*ast.QueryDocument](10))
		var group sync.WaitGroup
		for n := range 32 {
			group.Go(func() {
				want := `{"data":{"people":[{"best":{"name":"best of a"}},{"best":{"name":"best of b"}},{"best":{"name":"best of c"}}]}}`
				if n%2 == 0 {
					want = `{"data":{"people":[{},{},{}]}}`
				}
				if got := execute(e, `query($v:Boolean!){people{best@skip(if:$v){name}}}`, "", map[string]any{"v": n%2 == 0}); got != want {
					t.Error(got)
				}
			})
		}
		group.Wait()
	})
}

func doubled(n int) string {
	query := `{me{...F0}}`
	for i := range n {
		query += fmt.Sprintf(" fragment F%d on Person{a:best{...F%d} b:best{...F%d}}", i, i+1, i+1)
	}
	return query + fmt.Sprintf(" fragment F%d on Person{name}", n)
}
