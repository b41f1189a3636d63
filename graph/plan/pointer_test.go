package plan

import "testing"

func TestAbstractStructValues(t *testing.T) {
	fx := &fixture{sdl: `
		type Query { list: [Any], one: Any, must: [Any!] }
		union Any = A | B
		type A { s: String, any: Any }
		type B { s: String }`}
	a := *obj("A", "s", "a", "any", *obj("B", "s", "inner"))
	fx.resolvers = map[string]resolver{"Query.list": returns(list(a, obj("B", "s", "b"), nil, (*testObject)(nil), a)), "Query.one": returns(a), "Query.must": returns(list(a, (*testObject)(nil)))}
	want := `{"errors":[` + errorJSON(`"must",1`, "must not be null", "62") + `],"data":{"list":[{"s":"a","any":{"s":"inner"}},{"s":"b"},null,null,{"s":"a","any":{"s":"inner"}}],"one":{"s":"a"},"must":null}}`
	if got := execute(newExecutor(fx.build()), `{list{...on A{s any{...on B{s}}} ...on B{s}} one{...on A{s}} must{__typename}}`, "", nil); got != want {
		t.Errorf("the answer is\n%s\nand should be\n%s", got, want)
	}
}
