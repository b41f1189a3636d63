package plan

import "testing"

func TestDeferHasNoEffect(t *testing.T) {
	const complete = `{"data":{"me":{"name":"a","tags":["x","y"]}},"extensions":{"is_final":true}}`
	for _, test := range []struct {
		name, query string
		variables   map[string]any
		want        string
	}{
		{"on an inline fragment", `{me{name ...@defer{tags}}}`, nil, complete},
		{"with a label", `{me{name ...@defer(label:"Q$defer$tags"){tags}}}`, nil, complete},
		{"switched off", `{me{name ...@defer(if:false){tags}}}`, nil, complete},
		{"switched on by a variable", `query($d:Boolean!){me{name ...@defer(if:$d){tags}}}`, map[string]any{"d": true}, complete},
		{"switched off by a variable", `query($d:Boolean!){me{name ...@defer(if:$d){tags}}}`, map[string]any{"d": false}, complete},
		{"with the default of a variable", `query($d:Boolean=true){me{name ...@defer(if:$d){tags}}}`, nil, complete},
		{"on a fragment spread", `{me{...N ...T@defer}} fragment N on Person{name} fragment T on Person{tags}`, nil, complete},
		{"in a deferred fragment", `{...@defer{me{name ...@defer{tags}}}}`, nil, complete},
		{"on a field that is also selected without @defer", `{me{...@defer{name} name tags}}`, nil, complete},
		{"together with @skip", `{me{name tags ...@defer@skip(if:true){best{name}}}}`, nil, complete},
		{"below a resolver", `{me{best{...@defer{name}}}}`, nil, `{"data":{"me":{"best":{"name":"best of a"}}},"extensions":{"is_final":true}}`},
	} {
		t.Run(test.name, func(t *testing.T) { people().check(t, test.query, test.variables, test.want) })
	}
	t.Run("in cached variants of an operation", func(t *testing.T) {
		fx := people()
		for _, d := range []bool{true, false, true} {
			fx.check(t, `query($d:Boolean!){me{name ...@defer(if:$d){tags}}}`, map[string]any{"d": d}, complete)
		}
	})
}
