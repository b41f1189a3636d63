package plan

import (
	"fmt"
	"testing"
)

func animals() *fixture {
	name := func(what string) resolver {
		return perParent(func(p *testObject) any { return fmt.Sprint(what, " ", p.fields["name"]) })
	}
	mother := perParent(func(p *testObject) any {
		return obj(p.typ, "name", fmt.Sprint("mother of ", p.fields["name"]))
	})
	d := obj("Dog", "name", "Odie", "barks", true)
	c := obj("Cat", "name", "Garfield", "meows", false)
	x := obj("Person", "name", "John")
	return &fixture{sdl: `
		interface Named { name: String }
		interface Mammal implements Named { name: String mother: Mammal }
		type Dog implements Named & Mammal { name: String mother: Mammal barks: Boolean call: String }
		type Cat implements Named & Mammal { name: String mother: Mammal meows: Boolean call: String }
		type Person implements Named { name: String pets: [Pet!] }
		union Pet = Dog | Cat
		type Query { pets: [Pet] named: [Named] mixed: [Named!] pet: Pet must: Named! other: Named nilPet: Pet alive: [Mammal] homes: [Home] }
		type Home { owner: Mammal! }`,
		resolvers: map[string]resolver{
			"Query.pets":   returns(list(d, c, nil, d)),
			"Query.named":  returns(list(x, c, d, c)),
			"Query.mixed":  returns(list(x, (*testObject)(nil))),
			"Query.pet":    returns(c),
			"Query.must":   returns((*testObject)(nil)),
			"Query.nilPet": returns((*testObject)(nil)),
			"Query.other":  returns(obj("Alien")),
			"Query.alive":  returns(list(d, x)),
			"Query.homes":  returns(list(obj("Home", "owner", d), obj("Home", "owner", x))),
			"Dog.call":     name("dog"), "Cat.call": name("cat"),
			"Dog.mother": mother, "Cat.mother": mother,
		}}
}

func TestFragmentsApplyToTheTypesOfObjects(t *testing.T) {
	for _, test := range []struct {
		name, query, want string
		calls             []string
	}{
		{"a union has the fields of each type", `{pets{__typename ...on Dog{name barks} ...on Cat{name meows}}}`,
			`{"data":{"pets":[{"__typename":"Dog","name":"Odie","barks":true},{"__typename":"Cat","name":"Garfield","meows":false},null,{"__typename":"Dog","name":"Odie","barks":true}]}}`, nil},
		{"fields of an interface", `{named{name __typename}}`,
			`{"data":{"named":[{"name":"John","__typename":"Person"},{"name":"Garfield","__typename":"Cat"},{"name":"Odie","__typename":"Dog"},{"name":"Garfield","__typename":"Cat"}]}}`, nil},
		{"a fragment on an interface applies to its types", `{named{...on Mammal{mother{name}} ...on Person{name}}}`,
			`{"data":{"named":[{"name":"John"},{"mother":{"name":"mother of Garfield"}},{"mother":{"name":"mother of Odie"}},{"mother":{"name":"mother of Garfield"}}]}}`,
			[]string{"Query.named 1", "Cat.mother 2", "Dog.mother 1"}},
		{"nested fragments on a union and an interface", `{named{...F}} fragment F on Named{...on Pet{...G} name} fragment G on Pet{...on Dog{barks ...on Named{n:name}}}`,
			`{"data":{"named":[{"name":"John"},{"name":"Garfield"},{"barks":true,"n":"Odie","name":"Odie"},{"name":"Garfield"}]}}`, nil},
		{"a resolver is called once per type", `{pets{...on Dog{call} ...on Cat{call}}}`,
			`{"data":{"pets":[{"call":"dog Odie"},{"call":"cat Garfield"},null,{"call":"dog Odie"}]}}`, []string{"Query.pets 1", "Dog.call 2", "Cat.call 1"}},
		{"an alias of different fields on different types", `{pets{...on Dog{x:barks} ...on Cat{x:meows}}}`,
			`{"data":{"pets":[{"x":true},{"x":false},null,{"x":true}]}}`, nil},
		{"a type without selected fields is an empty object", `{pets{...on Dog{name}}}`, `{"data":{"pets":[{"name":"Odie"},{},null,{"name":"Odie"}]}}`, nil},
		{"a field of a union that is no list", `{pet{...on Cat{name mother{__typename name ...on Cat{meows}}}}}`,
			`{"data":{"pet":{"name":"Garfield","mother":{"__typename":"Cat","name":"mother of Garfield","meows":null}}}}`, nil},
		{"a nil pointer is null", `{nilPet{__typename}}`, `{"data":{"nilPet":null}}`, nil},
		{"a nil pointer in a non-null field is an error", `{must{name}}`, `{"errors":[` + errorJSON(`"must"`, "must not be null", "2") + `],"data":null}`, nil},
		{"a nil pointer in a list of non-null elements", `{mixed{name}}`, `{"errors":[` + errorJSON(`"mixed",1`, "must not be null", "2") + `],"data":{"mixed":null}}`, nil},
		{"an object of an unknown type fails its field", `{other{name} pet{__typename}}`, `{"errors":[` + errorJSON(`"other"`, "panic of an object of type Alien", "2") + `],"data":{"other":null,"pet":{"__typename":"Cat"}}}`, nil},
		{"an object of another type is null, with an error", `{alive{name} pet{__typename}}`, `{"errors":[` + errorJSON(`"alive",1`, "Query.alive returned a Person, which is no Mammal", "2") + `],"data":{"alive":[{"name":"Odie"},null],"pet":{"__typename":"Cat"}}}`, nil},
		{"a non-null field with an object of another type is null for its own parent", `{homes{owner{name}}}`, `{"errors":[` + errorJSON(`"homes",1,"owner"`, "Home.owner returned a Person, which is no Mammal", "8") + `],"data":{"homes":[{"owner":{"name":"Odie"}},null]}}`, nil},
	} {
		t.Run(test.name, func(t *testing.T) { animals().check(t, test.query, nil, test.want, test.calls...) })
	}
}

func TestAbstractValuesMayBeStructsOrPointers(t *testing.T) {
	fx := &fixture{sdl: `
		type Query { list: [Any], one: Any, must: [Any!] }
		union Any = A | B
		type A { s: String, any: Any }
		type B { s: String }`}
	a := *obj("A", "s", "a", "any", *obj("B", "s", "inner"))
	fx.resolvers = map[string]resolver{
		"Query.list": returns(list(a, obj("B", "s", "b"), nil, (*testObject)(nil), a)),
		"Query.one":  returns(a),
		"Query.must": returns(list(a, (*testObject)(nil))),
	}
	want := `{"errors":[` + errorJSON(`"must",1`, "must not be null", "62") + `],` +
		`"data":{"list":[{"s":"a","any":{"s":"inner"}},{"s":"b"},null,null,{"s":"a","any":{"s":"inner"}}],"one":{"s":"a"},"must":null}}`
	if got := execute(newExecutor(fx.build()), `{list{...on A{s any{...on B{s}}} ...on B{s}} one{...on A{s}} must{__typename}}`, "", nil); got != want {
		t.Errorf("response:\ngot  %s\nwant %s", got, want)
	}
}
