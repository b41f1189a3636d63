package plan

import (
	"fmt"
	"testing"
)

// zoo is a fixture of interfaces and unions.
func animals() *fixture {
	name := func(what string) resolver {
		return perParent(func(p *testObject) any { return fmt.Sprint(what, " ", p.fields["name"]) })
	}
	d, c, x := obj("Dog", "name", "Odie", "barks", true), obj("Cat", "name", "Garfield", "meows", false), obj("Person", "name", "John")
	return &fixture{sdl: `
		interface Named { name: String }
		interface Mammal implements Named { name: String mother: Mammal }
		type Dog implements Named & Mammal { name: String mother: Mammal barks: Boolean call: String }
		type Cat implements Named & Mammal { name: String mother: Mammal meows: Boolean call: String }
		type Person implements Named { name: String pets: [Pet!] }
		union Pet = Dog | Cat
		type Query { pets: [Pet] named: [Named] mixed: [Named!] pet: Pet must: Named! other: Named nilPet: Pet }`,
		resolvers: map[string]resolver{
			"Query.pets":   returns(list(d, c, nil, d)),
			"Query.named":  returns(list(x, c, d, c)),
			"Query.mixed":  returns(list(x, (*testObject)(nil))),
			"Query.pet":    returns(c),
			"Query.must":   returns((*testObject)(nil)),
			"Query.nilPet": returns((*testObject)(nil)),
			"Query.other":  returns(obj("Alien")),
			"Dog.call":     name("dog"), "Cat.call": name("cat"),
			"Dog.mother": perParent(func(p *testObject) any { return obj("Dog", "name", fmt.Sprint("mother of ", p.fields["name"])) }),
			"Cat.mother": perParent(func(p *testObject) any { return obj("Cat", "name", fmt.Sprint("mother of ", p.fields["name"])) }),
		}}
}

func TestAbstractTypes(t *testing.T) {
	for _, test := range []struct {
		name, query, want string
		calls             []string
	}{
		{"a union is told apart by type", `{pets{__typename ...on Dog{name barks} ...on Cat{name meows}}}`,
			`{"data":{"pets":[{"__typename":"Dog","name":"Odie","barks":true},{"__typename":"Cat","name":"Garfield","meows":false},null,{"__typename":"Dog","name":"Odie","barks":true}]}}`, nil},
		{"an interface's own fields are those of all", `{named{name __typename}}`,
			`{"data":{"named":[{"name":"John","__typename":"Person"},{"name":"Garfield","__typename":"Cat"},{"name":"Odie","__typename":"Dog"},{"name":"Garfield","__typename":"Cat"}]}}`, nil},
		{"a fragment on an interface is for its types alone", `{named{...on Mammal{mother{name}} ...on Person{name}}}`,
			`{"data":{"named":[{"name":"John"},{"mother":{"name":"mother of Garfield"}},{"mother":{"name":"mother of Odie"}},{"mother":{"name":"mother of Garfield"}}]}}`,
			[]string{"Query.named 1", "Cat.mother 2", "Dog.mother 1"}},
		{"a union in an interface, fragments in fragments", `{named{...F}} fragment F on Named{...on Pet{...G} name} fragment G on Pet{...on Dog{barks ...on Named{n:name}}}`,
			`{"data":{"named":[{"name":"John"},{"name":"Garfield"},{"barks":true,"n":"Odie","name":"Odie"},{"name":"Garfield"}]}}`, nil},
		{"a resolver is called once for each type, with all of it", `{pets{...on Dog{call} ...on Cat{call}}}`,
			`{"data":{"pets":[{"call":"dog Odie"},{"call":"cat Garfield"},null,{"call":"dog Odie"}]}}`, []string{"Query.pets 1", "Dog.call 2", "Cat.call 1"}},
		{"one response name may be different fields of different types", `{pets{...on Dog{x:barks} ...on Cat{x:meows}}}`,
			`{"data":{"pets":[{"x":true},{"x":false},null,{"x":true}]}}`, nil},
		{"a type of which nothing is selected is an empty object", `{pets{...on Dog{name}}}`, `{"data":{"pets":[{"name":"Odie"},{},null,{"name":"Odie"}]}}`, nil},
		{"an abstract field alone", `{pet{...on Cat{name mother{__typename name ...on Cat{meows}}}}}`,
			`{"data":{"pet":{"name":"Garfield","mother":{"__typename":"Cat","name":"mother of Garfield","meows":null}}}}`, nil},
		{"a nil of some type is null", `{nilPet{__typename}}`, `{"data":{"nilPet":null}}`, nil},
		{"and an error where null must not be", `{must{name}}`, `{"errors":[` + errorJSON(`"must"`, "must not be null", "2") + `],"data":null}`, nil},
		{"in lists too", `{mixed{name}}`, `{"errors":[` + errorJSON(`"mixed",1`, "must not be null", "2") + `],"data":{"mixed":null}}`, nil},
		{"a testObject of no type fails its field", `{other{name} pet{__typename}}`, `{"errors":[` + errorJSON(`"other"`, "panic of an object of type Alien", "2") + `],"data":{"other":null,"pet":{"__typename":"Cat"}}}`, nil},
	} {
		t.Run(test.name, func(t *testing.T) { animals().check(t, test.query, nil, test.want, test.calls...) })
	}
}
