package e2e

import (
	"flag"
	"fmt"
	"html"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"twibase/sample"
	"twibase/transfer"
)

var rewriteTrace = flag.Bool("rewrite-trace", false, "rewrite docs/trace.svg instead of comparing")

const tracePicture = "../docs/trace.svg"

// Times and the number of region servers of a round may differ.
func TestTracePictureInTheDocsIsUnchanged(t *testing.T) {
	store := onHBase(t)
	if _, err := transfer.EnsureTables(t.Context(), store, 3); err != nil {
		t.Fatal(err)
	}
	if err := sample.Load(t.Context(), store); err != nil {
		t.Fatal(err)
	}
	g := newTraced(store)
	for range 20 { // opens connections, finds regions, warms Java up
		g.spans.Reset()
		g.ask(t, example(t, "1-followers"), "01")
	}
	rows := picturedSpans(g.spans.GetSpans(), remoteSpan, 0)
	picture := drawTrace(rows)
	if *rewriteTrace {
		if err := os.WriteFile(tracePicture, []byte(picture), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	stored, err := os.ReadFile(tracePicture)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(outline(string(stored)), outline(picture)); diff != "" {
		t.Errorf("%s is outdated: run with -rewrite-trace (-picture +spans):\n%s", tracePicture, diff)
	}
}

type picturedSpan struct {
	tracetest.SpanStub
	depth int
}

func picturedSpans(spans tracetest.SpanStubs, parent string, depth int) (rows []picturedSpan) {
	slices.SortStableFunc(spans, func(a, b tracetest.SpanStub) int { return a.StartTime.Compare(b.StartTime) })
	for _, s := range spans {
		if s.Parent.SpanID().String() == parent {
			rows = append(rows, picturedSpan{s, depth})
			rows = append(rows, picturedSpans(spans, s.SpanContext.SpanID().String(), depth+1)...)
		}
	}
	return rows
}

const (
	rowHeight, indent = 26, 18
	margin, barsAt    = 14, 190
	barsWidth, width  = 420, 1060
)

func drawTrace(rows []picturedSpan) string {
	begin, whole := rows[0].StartTime, rows[0].EndTime.Sub(rows[0].StartTime)
	x := func(at time.Time) float64 { return barsAt + barsWidth*float64(at.Sub(begin))/float64(whole) }
	height := rowHeight*(len(rows)+1) + margin
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img"`+
		` font-family="sans-serif" font-size="13">`+"\n", width, height, width, height)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#fff"/>`+"\n", width, height)
	for i := range 5 {
		at := barsAt + barsWidth*i/4
		fmt.Fprintf(&b, `<path d="M%d %dV%d" stroke="#ddd"/>`+"\n", at, rowHeight, height-margin/2)
		fmt.Fprintf(&b, `<text x="%d" y="18" fill="#666" text-anchor="middle">%s</text>`+"\n", at,
			milliseconds(whole*time.Duration(i)/4))
	}
	servers := map[string]int{}
	for i, s := range rows {
		y := rowHeight * (i + 1)
		from, to := x(s.StartTime), max(x(s.EndTime), x(s.StartTime)+1)
		color := []string{"#3b6ea5", "#4f9d69", "#d08a2e"}[min(s.depth, 2)]
		fmt.Fprintf(&b, `<text class="span" x="%d" y="%d">%s</text>`+"\n", margin+s.depth*indent, y+18,
			html.EscapeString(s.Name))
		fmt.Fprintf(&b, `<rect x="%.1f" y="%d" width="%.1f" height="%d" rx="2" fill="%s"/>`+"\n", from, y+5, to-from,
			rowHeight-10, color)
		fmt.Fprintf(&b, `<text x="%d" y="%d" fill="#444">%s</text>`+"\n", barsAt+barsWidth+margin, y+18,
			html.EscapeString(milliseconds(s.EndTime.Sub(s.StartTime))+describeSpan(s.SpanStub, servers)))
	}
	return b.String() + "</svg>\n"
}

func describeSpan(s tracetest.SpanStub, servers map[string]int) string {
	if port := attributeOf(s, "server.port").AsInt64(); port != 0 {
		server := fmt.Sprint(attributeOf(s, "server.address").AsString(), port)
		if servers[server] == 0 {
			servers[server] = len(servers) + 1
		}
		return fmt.Sprintf(", server %d, Gets: %d", servers[server], attributeOf(s, "db.operation.batch.size").AsInt64())
	}
	var parts []string
	for _, a := range s.Attributes {
		if loader, is := strings.CutPrefix(string(a.Key), "twibase.keys."); is {
			parts = append(parts, fmt.Sprintf("%s %d", loader, a.Value.AsInt64()))
		}
	}
	slices.Sort(parts)
	if len(parts) > 0 {
		return ", keys: " + strings.Join(parts, ", ")
	}
	return fmt.Sprintf(", rounds: %d, Gets: %d", attributeOf(s, "twibase.rounds").AsInt64(),
		attributeOf(s, "twibase.gets").AsInt64())
}

func milliseconds(d time.Duration) string { return fmt.Sprintf("%.1f ms", d.Seconds()*1000) }

var pictured = regexp.MustCompile(`<text class="span" x="(\d+)" y="\d+">(.*)</text>`)

func outline(picture string) (lines []string) {
	for _, m := range pictured.FindAllStringSubmatch(picture, -1) {
		x, _ := strconv.Atoi(m[1])
		lines = append(lines, strings.Repeat("  ", (x-margin)/indent)+m[2])
	}
	return slices.Compact(lines)
}
