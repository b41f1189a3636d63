package strict

import (
	"strings"
	"testing"
)

func TestMalformedObjectsAreRejected(t *testing.T) {
	for _, test := range []struct{ name, text, query, err string }{
		{"one key", `{"query":"a","other":[{}]}`, "a", ""},
		{"key in another case", `{"query":"a","QUERY":"b","Query":1,"ｑuery":2}`, "a", ""},
		{"escaped key", `{"\u0071uery":"a"}`, "a", ""},
		{"repeated key", `{"query":"a","query":"b"}`, "b", ""},
		{"null value", `{"query":"a","query":null}`, "a", ""},
		{"null", `null`, "", ""},
		{"white space after the object", " {} \n", "", ""},
		{"value of the wrong type", `{"query":12345}`, "", "query can't be a JSON number"},
		{"first value of the wrong type", `{"query":{},"query":"a"}`, "", "query can't be a JSON object"},
		{"array", `[{}]`, "", "it is no object"},
		{"string", `"secret"`, "", "it is no object"},
		{"number", `12345`, "", "it is no object"},
		{"boolean", `true`, "", "it is no object"},
		{"empty text", ``, "", "it ends too early"},
		{"incomplete object", `{"query":"a"`, "a", "it ends too early"},
		{"incomplete key", `{"quer`, "", "it ends too early"},
		{"incomplete value", `{"query":"a`, "", "it ends too early"},
		{"key without a value", `{"query"}`, "", "invalid JSON after byte 8"},
		{"invalid JSON", `{"other":secret}`, "", "invalid JSON after byte 9"},
		{"invalid JSON in a key", `{secret:1}`, "", "invalid JSON after byte 1"},
		{"100 keys", `{"query":"a"` + strings.Repeat(`,"":0`, 99) + `}`, "a", ""},
		{"101 keys", `{"query":"a"` + strings.Repeat(`,"":0`, 100) + `}`, "a", "it has more than 100 keys"},
		{"two objects", `{} {}`, "", "something follows it"},
		{"invalid JSON after the object", `{}secret`, "", "invalid JSON after byte 2"},
		{"too deep nesting", `{"other":` + strings.Repeat("[", 20_000), "", "invalid JSON after byte 9"},
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
