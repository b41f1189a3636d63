package clients

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type answered struct {
	Data       any
	Errors     []struct{ Message string }
	Extensions struct {
		IsFinal bool `json:"is_final"`
	}
	HasNext *bool
}

func incremental(t *testing.T, url, token string) {
	var report struct {
		Answers []struct {
			Operation, Transport string
			Variables            json.RawMessage
			Want                 answered
			Got                  []answered
		}
		Events   map[string][]answered
		Rejected []struct {
			Query, Transport string
			Result           answered
		}
	}
	text := node(t, "incremental.mjs", url, token, "LiLei")
	if err := json.Unmarshal(text, &report); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if len(report.Answers) != 10*6 || len(report.Events) != 2 || len(report.Rejected) != 13*6 {
		t.Fatalf("%s", text)
	}
	for _, a := range report.Answers {
		if a.Want.Data == nil || len(a.Want.Errors) > 0 || a.Want.Extensions.IsFinal {
			t.Fatalf("%s without the directives: %+v", a.Operation, a.Want)
		}
		if len(a.Got) != 1 || len(a.Got[0].Errors) > 0 || a.Got[0].HasNext != nil || !a.Got[0].Extensions.IsFinal {
			t.Errorf("%s over %s with %s: %+v", a.Operation, a.Transport, a.Variables, a.Got)
			continue
		}
		if diff := cmp.Diff(a.Want.Data, a.Got[0].Data); diff != "" {
			t.Errorf("%s over %s with %s (-without +with the directives):\n%s", a.Operation, a.Transport, a.Variables, diff)
		}
	}
	for transport, events := range report.Events {
		for _, e := range events {
			data, _ := json.Marshal(e.Data)
			whole := strings.Contains(string(data), `"visibility":"PUBLIC"`) &&
				strings.Contains(string(data), `{"node":{"content":"news `)
			if !whole || len(e.Errors) > 0 || e.HasNext != nil || !e.Extensions.IsFinal {
				t.Errorf("an event over %s: %s, %+v", transport, data, e)
			}
		}
	}
	for _, r := range report.Rejected {
		if len(r.Result.Errors) != 1 || r.Result.Data != nil {
			t.Errorf("%s over %s: %+v", r.Query, r.Transport, r.Result)
		}
	}
}
