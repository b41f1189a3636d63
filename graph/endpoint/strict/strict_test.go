package strict

import (
	"strings"
	"testing"
)

func TestObject(t *testing.T) {
	for _, test := range []struct{ name, text, query, err string }{
		{"a key is found", `{"query":"a","other":[{}]}`, "a", ""},
		{"keys differ by their case", `{"query":"a","QUERY":"b","Query":1,"ｑuery":2}`, "a", ""},
		{"an escape makes no other key", `{"\u0071uery":"a"}`, "a", ""},
		{"of a key that comes twice the last counts", `{"query":"a","query":"b"}`, "b", ""},
		{"null is nothing", `{"query":"a","query":null}`, "a", ""},
		{"also for the whole", `null`, "", ""},
		{"white space may follow", " {} \n", "", ""},
		{"a value of another type is told by its key", `{"query":12345}`, "", "query can't be a JSON number"},
		{"also if it comes first", `{"query":{},"query":"a"}`, "", "query can't be a JSON object"},
		{"an array is none", `[{}]`, "", "it is no object"},
		{"a string is none", `"secret"`, "", "it is no object"},
		{"a number is none", `12345`, "", "it is no object"},
		{"true is none", `true`, "", "it is no object"},
		{"nothing is none", ``, "", "it ends too early"},
		{"half of one is none", `{"query":"a"`, "a", "it ends too early"},
		{"half of a key is none", `{"quer`, "", "it ends too early"},
		{"half of a value is none", `{"query":"a`, "", "it ends too early"},
		{"a key without a value is none", `{"query"}`, "", "invalid JSON after byte 8"},
		{"what is no JSON is told by its place", `{"other":secret}`, "", "invalid JSON after byte 9"},
		{"also as a key", `{secret:1}`, "", "invalid JSON after byte 1"},
		{"a hundred keys are enough", `{"query":"a"` + strings.Repeat(`,"":0`, 99) + `}`, "a", ""},
		{"more are too many", `{"query":"a"` + strings.Repeat(`,"":0`, 100) + `}`, "a", "it has more than 100 keys"},
		{"one is enough", `{} {}`, "", "something follows it"},
		{"also if the rest is no JSON", `{}secret`, "", "invalid JSON after byte 2"},
		{"what nests too deep is none", `{"other":` + strings.Repeat("[", 20_000), "", "invalid JSON after byte 9"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var query string
			err := Object([]byte(test.text), map[string]any{"query": &query})
			if (err == nil) != (test.err == "") || err != nil && err.Error() != test.err || query != test.query {
				t.Errorf("%v, query %q", err, query)
			}
		})
	}
}

func TestElements(t *testing.T) {
	for _, test := range []struct {
		name, text string
		n          int
		err        string
	}{
		{"none", ` [ ] `, 0, ""},
		{"some", `[1,{"a":[2,3]},"x"]`, 3, ""},
		{"as many as the bound", `[0,0,0,0]`, 4, ""},
		{"more are not read", `[0,0,0,0,secret`, 4, ErrMany.Error()},
		{"half of one", `[0,`, 1, "it ends too early"},
		{"what is no JSON", `[0 secret]`, 1, "invalid JSON after byte 3"},
		{"what follows", `[0] 1`, 1, "something follows it"},
	} {
		t.Run(test.name, func(t *testing.T) {
			n, err := Elements([]byte(test.text), 4)
			if (err == nil) != (test.err == "") || err != nil && err.Error() != test.err || err == nil && n != test.n {
				t.Errorf("%d elements, error %v", n, err)
			}
		})
	}
}
