package limits

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOversizedVariablesAreNotDecoded(t *testing.T) {
	l := Default()
	l[VariableBytes], l[List] = 100, 10
	for _, test := range []struct {
		name, text string
		want       map[string]any
		rejection  string
	}{
		{"an object", `{"a":[1,null,{"b":"c"}]}`, map[string]any{"a": []any{json.Number("1"), nil, map[string]any{"b": "c"}}}, ""},
		{"null", `null`, nil, ""},
		{"escaped characters", `{"a":"` + strings.Repeat(`\ud83d\ude00`, 20) + `"}`, map[string]any{"a": strings.Repeat("😀", 20)}, ""},
		{"too many values are dropped", `{"a":[` + strings.Repeat("1,", 10) + `1]}`, nil, "the length of a list or an input object is limited to 10, and this is 11"},
		{"too many bytes are dropped", `{"a":"` + strings.Repeat("x", 100) + `"}`, nil,
			"the size of the variables or extensions in bytes is limited to 100, and this is 102"},
		{"a far too long text is not decoded", `{"a":` + strings.Repeat(" ", 400) + `[[[]]]}`, nil,
			"the size of the variables or extensions in bytes is limited to 100, and this is 412"},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := l.Object()
			if err := json.Unmarshal([]byte(test.text), &o); err != nil {
				t.Fatal(err)
			}
			rejection := ""
			if got := l.Values(o.Fields); got != nil {
				rejection, o.Fields = got.Message, nil
			}
			if diff := cmp.Diff(test.want, o.Fields); diff != "" || rejection != test.rejection {
				t.Errorf("got the error %q, want %q; fields (-want +got):\n%s", rejection, test.rejection, diff)
			}
		})
	}
	o := l.Object()
	if err := json.Unmarshal([]byte(`[`+strings.Repeat(" ", 500)+`]`), &o); err == nil || !strings.Contains(err.Error(), "array") {
		t.Errorf("got %v for an array, want an error", err)
	}
}
