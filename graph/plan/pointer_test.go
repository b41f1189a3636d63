package plan

import "testing"

func TestObjectsThatAreNoPointersAreAnsweredAsSuchThatAre(t *testing.T) {
	w := &world{sdl: `
		type Query { list: [Any], one: Any, must: [Any!] }
		union Any = A | B
		type A { s: String, any: Any }
		type B { s: String }`}
	a := *of("A", "s", "a", "any", *of("B", "s", "inner"))
	w.resolvers = map[string]resolver{"Query.list": always(list(a, of("B", "s", "b"), nil, (*thing)(nil), a)), "Query.one": always(a), "Query.must": always(list(a, (*thing)(nil)))}
	want := `{"errors":[` + fault(`"must",1`, "must not be null", "62") + `],"data":{"list":[{"s":"a","any":{"s":"inner"}},{"s":"b"},null,null,{"s":"a","any":{"s":"inner"}}],"one":{"s":"a"},"must":null}}`
	if got := ask(engine(w.build()), `{list{...on A{s any{...on B{s}}} ...on B{s}} one{...on A{s}} must{__typename}}`, "", nil); got != want {
		t.Errorf("the answer is\n%s\nand should be\n%s", got, want)
	}
}
