package deploy_test

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/VictoriaMetrics/metricsql"
	"github.com/goccy/go-yaml"
	"github.com/prometheus/client_golang/prometheus"

	"twibase/gateway"
	"twibase/hbase/cluster"
	"twibase/hbase/embedded"
	"twibase/transfer"
)

// A [prometheus.Desc] exposes its names only in this text.
var description = regexp.MustCompile(`fqName: "(\w+)".* constLabels: \{([^}]*)\}, variableLabels: \{([^}]*)\}`)

var series = regexp.MustCompile(`(?m)^(twibase_\w+)(?:\{(.*)\})? `)

var scrapeLabels = []string{"job", "instance"}

func exported(t *testing.T) map[string][]string {
	t.Helper()
	store, err := embedded.Open("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	if _, err := transfer.EnsureTables(t.Context(), store, 1); err != nil {
		t.Fatal(err)
	}
	collectors := append(cluster.Metrics(), gateway.New(store, gateway.Config{}).Metrics,
		prometheus.DefaultRegisterer.(prometheus.Collector))
	descriptions := make(chan *prometheus.Desc)
	go func() {
		defer close(descriptions)
		for _, collector := range collectors {
			collector.Describe(descriptions)
		}
	}()
	labels := map[string][]string{}
	for d := range descriptions {
		found := description.FindStringSubmatch(d.String())
		if found == nil {
			t.Fatalf("unknown form of a description: %s", d)
		}
		all := slices.Clone(scrapeLabels)
		for constant := range strings.SplitSeq(found[2], ",") {
			name, _, _ := strings.Cut(constant, "=")
			all = append(all, name)
		}
		labels[found[1]] = append(all, strings.Split(found[3], ",")...)
	}
	_, served := get(t, started(t)+"/metrics")
	for _, found := range series.FindAllStringSubmatch(served, -1) {
		if _, known := labels[found[1]]; known {
			continue
		}
		all := slices.Clone(scrapeLabels)
		for label := range strings.SplitSeq(found[2], ",") {
			name, _, _ := strings.Cut(label, "=")
			all = append(all, name)
		}
		labels[found[1]] = all
	}
	return labels
}

// The parser also accepts functions that Prometheus lacks.
var functions = []string{"rate", "increase", "histogram_quantile", "absent", "sum", "min", "max", "count", "topk"}

func check(t *testing.T, metrics map[string][]string, expression string) {
	t.Helper()
	parsed, err := metricsql.Parse(strings.ReplaceAll(expression, "$__rate_interval", "5m"))
	if err != nil {
		t.Errorf("%s: %v", expression, err)
		return
	}
	var labels []string
	named := 0
	metricsql.VisitAll(parsed, func(e metricsql.Expr) {
		switch e := e.(type) {
		case *metricsql.MetricExpr:
			named++
			labels = append(labels, checkSelector(t, metrics, expression, e)...)
		case *metricsql.FuncExpr:
			if !slices.Contains(functions, e.Name) {
				t.Errorf("%s: add the function %s to the list if Prometheus has it", expression, e.Name)
			}
		}
	})
	if named == 0 {
		t.Errorf("%s: no metric", expression)
	}
	metricsql.VisitAll(parsed, func(e metricsql.Expr) {
		aggregate, ok := e.(*metricsql.AggrFuncExpr)
		if !ok {
			return
		}
		if !slices.Contains(functions, aggregate.Name) {
			t.Errorf("%s: add the function %s to the list if Prometheus has it", expression, aggregate.Name)
		}
		for _, label := range aggregate.Modifier.Args {
			if !slices.Contains(labels, label) {
				t.Errorf("%s: no metric has the label %s", expression, label)
			}
		}
	})
}

func checkSelector(
	t *testing.T, metrics map[string][]string, expression string, selector *metricsql.MetricExpr,
) (labels []string) {
	t.Helper()
	for _, filters := range selector.LabelFilterss {
		name := filters[0].Value
		known := false
		if labels, known = metrics[name]; !known {
			histogram := regexp.MustCompile(`_(bucket|sum|count)$`).ReplaceAllString(name, "")
			labels, known = metrics[histogram]
			labels = append(slices.Clone(labels), "le")
		}
		if filters[0].Label != "__name__" || !known {
			t.Errorf("%s: no metric %q is exported", expression, name)
		}
		for _, filter := range filters[1:] {
			if !slices.Contains(labels, filter.Label) {
				t.Errorf("%s: %s has no label %s", expression, name, filter.Label)
			}
		}
	}
	return labels
}

func TestAlertsAreOfExportedMetrics(t *testing.T) {
	var file struct {
		Groups []struct {
			Name  string
			Rules []struct {
				Alert, Expr, For    string
				Labels, Annotations map[string]string
			}
		}
	}
	if err := yaml.UnmarshalWithOptions(read(t, "prometheus/alerts.yaml"), &file, yaml.Strict()); err != nil {
		t.Fatal(err)
	}
	page := string(read(t, "../docs/OPERATIONS.md"))
	metrics, alerts := exported(t), 0
	for _, group := range file.Groups {
		for _, rule := range group.Rules {
			alerts++
			check(t, metrics, rule.Expr)
			if rule.Labels["severity"] == "" || rule.Annotations["summary"] == "" {
				t.Errorf("%s lacks its severity or its summary", rule.Alert)
			}
			if want := "docs/OPERATIONS.md#" + strings.ToLower(rule.Alert); rule.Annotations["runbook"] != want {
				t.Errorf("the runbook of %s is %s, want %s", rule.Alert, rule.Annotations["runbook"], want)
			}
			if !strings.Contains(page, "\n### "+rule.Alert+"\n") {
				t.Errorf("docs/OPERATIONS.md has no heading %s", rule.Alert)
			}
		}
	}
	if headings := strings.Count(page, "\n### Twibase"); headings != alerts || alerts == 0 {
		t.Errorf("%d alerts, and %d runbooks", alerts, headings)
	}
}

func TestDashboardIsOfExportedMetrics(t *testing.T) {
	type panel struct {
		ID          int
		Type, Title string
		Targets     []struct{ Expr string }
	}
	var dashboard struct{ Panels []panel }
	if err := json.Unmarshal(read(t, "grafana/twibase.json"), &dashboard); err != nil {
		t.Fatal(err)
	}
	metrics, ids := exported(t), map[int]bool{}
	for _, p := range dashboard.Panels {
		if ids[p.ID] || p.Title == "" || p.Type != "row" && len(p.Targets) == 0 {
			t.Errorf("the panel %d %q lacks a title or a target, or its id is not unique", p.ID, p.Title)
		}
		ids[p.ID] = true
		for _, target := range p.Targets {
			check(t, metrics, target.Expr)
		}
	}
	if len(ids) < 20 {
		t.Errorf("only %d panels", len(ids))
	}
}

func TestExpressionsAreChecked(t *testing.T) {
	metrics := map[string][]string{"m": {"l"}, "h": {"l"}}
	for expression, ok := range map[string]bool{
		`sum by (l) (rate(m{l="x"}[5m])) > 0`:                                     true,
		`histogram_quantile(0.9, sum by (le) (rate(h_bucket[$__rate_interval])))`: true,
		`rate(n[5m])`:     false,
		`m{k="x"}`:        false,
		`sum by (k) (m)`:  false,
		`range_median(m)`: false,
		`sum(rate(m[5m])`: false,
		`{l="x"}`:         false,
	} {
		checked := new(testing.T)
		done := make(chan struct{})
		go func() { defer close(done); check(checked, metrics, expression) }()
		<-done
		if checked.Failed() == ok {
			t.Errorf("%s: failed is %v", expression, checked.Failed())
		}
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
