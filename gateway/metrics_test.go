package gateway

import (
	"strings"
	"testing"

	"twibase/hbase/embedded"
)

func TestDeprecatedMetricsNameTheirSuccessors(t *testing.T) {
	store, err := embedded.Open("")
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	g := New(store, Config{})
	families, err := g.Metrics.Gather()
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]string{}
	for _, f := range families {
		values[f.GetName()] = f.Metric[0].String()
	}
	deprecated := 0
	for _, f := range families {
		name, ok := strings.CutPrefix(f.GetHelp(), "Deprecated: use ")
		if !ok {
			continue
		}
		deprecated++
		if got, want := values[f.GetName()], values[strings.TrimSuffix(name, ".")]; got != want {
			t.Errorf("%s is %s, %s is %s", f.GetName(), got, name, want)
		}
	}
	if deprecated != 5 {
		t.Errorf("%d metrics are deprecated, want 5", deprecated)
	}
}
