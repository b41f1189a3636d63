package explain

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/99designs/gqlgen/graphql"

	"twibase/graph/apierr"
	"twibase/graph/report"
)

// Plan describes the reads of an operation. docs/EXPLAIN.md describes the fields.
type Plan struct {
	Totals
	// Ordinary is the cost without the reads that have a condition: see [Loader].If.
	Ordinary Totals  `json:"ordinary"`
	Levels   []Level `json:"levels"`
	Fields   []Field `json:"fields"`
	// Text is the plan as text.
	Text string `json:"text"`
	// JSON is the plan as JSON.
	JSON json.RawMessage `json:"-"`
}

// Level is the reads of one round: Gets that are sent together, or a scan.
type Level struct {
	Path    []string `json:"path"`
	Loaders []Loader `json:"loaders"`
	RPCs    int64    `json:"rpcs"`
	Gets    int64    `json:"gets"`
	Scans   int64    `json:"scans"`
	Rows    int64    `json:"rows"`
}

// Loader is the reads of a level by one loader from one table.
type Loader struct {
	Name    string   `json:"name"`
	Table   string   `json:"table"`
	Columns []string `json:"columns"`
	Limit   int      `json:"limit,omitempty"`
	Gets    int64    `json:"gets"`
	If      string   `json:"if,omitempty"`
}

// Field is a field with a resolver.
type Field struct {
	Path    string `json:"path"`
	Objects int64  `json:"objects"`
	// Open is what the cost depends on besides the arguments, empty if nothing: then the numbers
	// are no bounds.
	Open string `json:"open,omitempty"`
	// Error is the error with which the field will fail, empty if there is none.
	Error string `json:"error,omitempty"`
}

// Predict returns the plan of the operation of ctx. It returns an [apierr.Error] if the JSON has
// more than most bytes, unless that is 0: every level repeats the paths of its fields, and a field
// with many rounds has as many levels.
func Predict(ctx context.Context, schema graphql.ExecutableSchema, costs Costs, most int) (*Plan, error) {
	bound, err := run(ctx, schema, costs, false)
	if err != nil {
		return nil, err
	}
	ordinary, err := run(ctx, schema, costs, true)
	if err != nil {
		return nil, err
	}
	p := &Plan{Totals: bound.totals(), Ordinary: ordinary.totals(), Fields: []Field{}}
	for _, s := range bound.steps {
		s.path = report.Path(s.call.Ctx)
		f := Field{Path: s.path, Objects: s.objects, Open: s.open}
		if s.err != nil {
			f.Error = apierr.Present(s.call.Ctx, s.err).Message
		}
		p.Fields = append(p.Fields, f)
	}
	levels, numbers, complete := bound.levels(most)
	if !complete {
		return nil, apierr.TooLong("the plan in bytes", most)
	}
	p.Levels = levels
	p.Text = text(graphql.GetOperationContext(ctx), p, bound, numbers)
	p.JSON, err = json.Marshal(p)
	if err == nil && most > 0 && len(p.JSON) > most {
		err = apierr.TooLong("the plan in bytes", most)
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

// slot is the position of a level in the execution. A scan begins its chain.
type slot struct{ chain, round int }

// part is the Gets of a record in one level.
type part struct {
	*record
	gets int64
}

// levels returns the levels in the order in which they can begin, and their numbers from 1.
// complete is false if their paths alone have more than most bytes.
func (e *estimate) levels(most int) (levels []Level, numbers map[slot]int, complete bool) {
	parts := map[slot][]part{}
	scans := 0
	for _, r := range e.records {
		if r.rows > 0 {
			scans++
			parts[slot{scans, -1}] = []part{{record: r}}
			continue
		}
		for i := range r.Rounds {
			at := slot{r.begun.chain, r.begun.round + i}
			parts[at] = append(parts[at], part{r, r.share(i)})
		}
	}
	order := slices.SortedFunc(maps.Keys(parts), func(a, b slot) int { return cmp.Or(a.chain-b.chain, a.round-b.round) })
	levels, numbers = make([]Level, len(order)), make(map[slot]int, len(order))
	said := 0
	for i, at := range order {
		levels[i], numbers[at] = level(parts[at]), i+1
		for _, path := range levels[i].Path {
			said += len(path)
		}
		if most > 0 && said > most {
			return nil, nil, false
		}
	}
	return levels, numbers, true
}

// loading identifies a Loader of a level.
type loading struct {
	name, table, columns, when string
	limit                      int
}

func level(parts []part) Level {
	l := Level{}
	paths, loadings := map[string]bool{}, map[loading]int{}
	for _, r := range parts {
		paths[r.step.path] = true
		if r.rows > 0 {
			l.Scans = 1
		}
		l.Gets, l.Rows = add(l.Gets, r.gets), add(l.Rows, add(r.gets, r.rows))
		of := loading{r.Loader, r.Table, r.Columns, r.If, r.Limit}
		i, known := loadings[of]
		if !known {
			i, loadings[of] = len(l.Loaders), len(l.Loaders)
			l.Loaders = append(l.Loaders, Loader{Name: r.Loader, Table: r.Table, Columns: strings.Fields(r.Columns), Limit: r.Limit, If: r.If})
		}
		l.Loaders[i].Gets = add(l.Loaders[i].Gets, r.gets)
	}
	l.RPCs = rpcs(1, l.Gets)
	l.Path = slices.Sorted(maps.Keys(paths))
	slices.SortStableFunc(l.Loaders, func(a, b Loader) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Table, b.Table)) })
	return l
}
