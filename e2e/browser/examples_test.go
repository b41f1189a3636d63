package browser

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"twibase/e2e/levelbound"
	"twibase/graph/explain"
	costs "twibase/graph/report"
)

type example struct {
	Operation string
	Plan      *explain.Plan
	Report    *costs.Report
	Shown     struct {
		Data, Errors, Extensions json.RawMessage
	}
	Drawn struct {
		Bars    []bar
		Loaders []struct{ Loader, Keys, Hits string }
		Fields  []struct {
			Field, Objects string
			Texts          []string
		}
		Figures string
	}
}

// Actual and Most are the widths of Cost and Bound.
type bar struct {
	Round, Server, Cost, Bound, Ms string
	Texts                          []string
	Actual, Most                   float64
}

func checkExamples(t *testing.T, examples []example) {
	if want := exampleCount(t); len(examples) != want {
		t.Errorf("got %d examples, want %d", len(examples), want)
	}
	bounded := 0
	for _, e := range examples {
		t.Run(e.Operation, func(t *testing.T) {
			if e.Plan == nil || e.Report == nil || e.Shown.Data == nil || e.Shown.Errors != nil || e.Shown.Extensions != nil {
				t.Fatalf("plan: %t, report: %t, response: %.500s", e.Plan != nil, e.Report != nil, e.Shown)
			}
			bounded += e.checkBars(t)
			e.checkLoaders(t)
			e.checkTree(t)
			e.checkFigures(t)
			e.checkData(t)
		})
	}
	if bounded < 20 {
		t.Errorf("only %d bars have a bound", bounded)
	}
}

func (e *example) checkBars(t *testing.T) (bounded int) {
	var want []bar
	for i := range e.Report.Levels {
		l := &e.Report.Levels[i]
		gets, rows, hasBound := levelbound.Of(e.Plan, l)
		for _, s := range l.Servers {
			b := bar{Round: strconv.Itoa(i + 1), Server: s.Name, Ms: fmt.Sprint(s.Ms)}
			number, most := s.Gets, gets
			switch {
			case l.Gets > 0:
			case l.Scans > 0:
				number, most = l.Rows, rows
			default:
				number, hasBound = s.RPCs, false
			}
			b.Cost = strconv.FormatInt(number, 10)
			if hasBound {
				bounded++
				b.Bound = strconv.FormatInt(most, 10)
				if number > most {
					t.Errorf("round %d of %s: %d exceeds the bound %d", i+1, s.Name, number, most)
				}
			}
			want = append(want, b)
		}
	}
	got := slices.Clone(e.Drawn.Bars)
	for i, b := range got {
		written := strings.Join(b.Texts, " ")
		if b.Bound != "" && (b.Actual > b.Most || b.Most == 0 || !strings.Contains(written, b.Cost+" ≤ ")) {
			t.Errorf("bar %d is %g wide, its bound %g: %q", i+1, b.Actual, b.Most, written)
		}
		got[i].Texts, got[i].Actual, got[i].Most = nil, 0, 0
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("bars (-reported +drawn):\n%s", diff)
	}
	return bounded
}

func (e *example) checkLoaders(t *testing.T) {
	var want, got []string
	for _, l := range e.Report.Levels {
		for _, loader := range l.Loaders {
			want = append(want, fmt.Sprint(loader.Name, ": ", loader.Keys, " keys, ", loader.Hits, " hits"))
		}
	}
	for _, l := range e.Drawn.Loaders {
		got = append(got, l.Loader+": "+l.Keys+" keys, "+l.Hits+" hits")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("loaders (-reported +drawn):\n%s", diff)
	}
}

func (e *example) checkTree(t *testing.T) {
	var want, got []string
	for _, f := range e.Plan.Fields {
		want = append(want, fmt.Sprint(f.Path, ": ", f.Objects))
	}
	for i, f := range e.Drawn.Fields {
		got = append(got, f.Field+": "+f.Objects)
		if label := e.Plan.Fields[i].Label; len(f.Texts) == 0 || !isLabel(f.Texts[0], label) {
			t.Errorf("the label of %s is %q, want %q", f.Field, f.Texts, label)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("fields (-planned +drawn):\n%s", diff)
	}
}

func isLabel(drawn, label string) bool {
	start, truncated := strings.CutSuffix(drawn, "…")
	return drawn == label || truncated && len(start) >= 8 && strings.HasPrefix(label, start)
}

func (e *example) checkFigures(t *testing.T) {
	for name, number := range map[string]int64{
		"Rounds": int64(e.Report.Rounds), "RPCs": e.Report.RPCs, "Gets": e.Report.Gets, "Rows": e.Report.Rows,
	} {
		if want := fmt.Sprint(name, " ", number); !strings.Contains(e.Drawn.Figures, want) {
			t.Errorf("the figures lack %s: %s", want, e.Drawn.Figures)
		}
	}
	want := []string{"Size ", "Server ", "Read ", "Response "}
	if slices.Contains([]string{"News", "NewComments", "Deletions", "FollowerChanges"}, e.Operation) {
		want = want[:3] // an event has no request
	}
	for _, name := range want {
		if !strings.Contains(e.Drawn.Figures, name) {
			t.Errorf("the figures lack %s: %s", name, e.Drawn.Figures)
		}
	}
}

func (e *example) checkData(t *testing.T) {
	for operation, text := range map[string]string{
		"Followers":       `"username":"HanMeimei"`,
		"Moments":         `"viewer":{"username":"LiLei"`,
		"Comments":        `"content":"The one with the keyboard is after."`,
		"Departments":     `"name":"开发1"`,
		"Games":           `"hasPlayed":true`,
		"Likes":           `"viewerLikes":true`,
		"Post":            `"content":"Hello from the IDE"`,
		"Like":            `"viewerLikes":true`,
		"News":            `"twitPosted":{"content":"news"`,
		"Users":           `"username":"LiLei"`,
		"NewComments":     `"content":"news"`,
		"Deletions":       `"twitDeleted":{"deletedId":"`,
		"FollowerChanges": `"followerChanged":{"added":`,
	} {
		if data := string(e.Shown.Data); e.Operation == operation && !strings.Contains(data, text) {
			t.Errorf("the response lacks %s: %.500s", text, data)
		}
	}
}
