package gateway

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

var pageOfMetrics = regexp.MustCompile("`(twibase)?(_[a-z_]+)")

// The page also has metrics of a cluster and of the command line.
func TestMetricsAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../docs/OBSERVABILITY.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]bool{}
	for line := range strings.Lines(string(page)) {
		if !strings.HasPrefix(line, "| `twibase_") && !strings.HasPrefix(line, "`twibase_build_info") {
			continue
		}
		var first string
		for _, found := range pageOfMetrics.FindAllStringSubmatch(line, -1) {
			if found[1] != "" {
				first = "twibase" + found[2]
				documented[first] = true
				continue
			}
			// A suffix replaces up to three words of the first metric of its line.
			for i := range first {
				if first[i] == '_' {
					documented[first[:i]+found[2]] = true
				}
			}
		}
	}
	g := New(sampleStore(t), Config{})
	send(g, "", `{"query":"{ nope }"}`)
	send(g, "", `{"query":"{ user(username: \"LiLei\") { name } }"}`)
	families, err := g.Metrics.Gather()
	if err != nil {
		t.Fatal(err)
	}
	exported := map[string]bool{
		"twibase_store_exceptions_total": true, "twibase_store_servers_unresponsive": true,
		"twibase_kerberos_ticket_expiry_timestamp_seconds": true, "twibase_kerberos_login_failures_total": true,
		"twibase_store_regions_refused": true, "twibase_log_lines_dropped_total": true,
		"twibase_config_reload_failures_total": true, "twibase_reload_failing": true, // of the command
		"twibase_deprecated_field_requests_total": true, // no deprecated field
	}
	for _, f := range families {
		exported[f.GetName()] = true
		if strings.HasPrefix(f.GetName(), "twibase_") && !documented[f.GetName()] {
			t.Errorf("docs/OBSERVABILITY.md lacks %s", f.GetName())
		}
	}
	for line := range strings.Lines(string(page)) {
		for _, name := range regexp.MustCompile("twibase_[a-z_]+").FindAllString(line, -1) {
			if !exported[name] {
				t.Errorf("docs/OBSERVABILITY.md has %s, which is not exported", name)
			}
		}
	}
}
