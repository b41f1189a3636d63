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

// Plan has the reads of an operation. docs/EXPLAIN.md describes the fields.
type Plan struct {
	Totals
	Ordinary Totals          `json:"ordinary"`
	Levels   []Level         `json:"levels"`
	Fields   []Field         `json:"fields"`
	Reads    []FieldRead     `json:"reads"`
	Text     string          `json:"text"`
	JSON     json.RawMessage `json:"-"`
}

// Level is the Gets of one round, or a scan.
type Level struct {
	Path    []string `json:"path"`
	Loaders []Loader `json:"loaders"`
	RPCs    int64    `json:"rpcs"`
	Gets    int64    `json:"gets"`
	Scans   int64    `json:"scans"`
	Rows    int64    `json:"rows"`
}

// Loader is a loader's part of a level.
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
	Path string `json:"path"`
	// Label is Path relative to the nearest field with a resolver above, followed by the arguments.
	Label   string `json:"label"`
	Objects int64  `json:"objects"`
	Open    string `json:"open,omitempty"`
	Error   string `json:"error,omitempty"`
}

// FieldRead is a read or a scan of a field.
type FieldRead struct {
	Field string `json:"field"`
	Loader
	Level  int   `json:"level"` // the first, from 1
	Rounds int   `json:"rounds"`
	Rows   int64 `json:"rows"`
	With   *int  `json:"with,omitempty"`
}

// Predict returns the plan of the operation of ctx. A maxBytes of 0 is no limit.
func Predict(ctx context.Context, schema graphql.ExecutableSchema, costs Costs, maxBytes int) (*Plan, error) {
	bound, err := walk(ctx, schema, costs, false)
	if err != nil {
		return nil, err
	}
	ordinary, err := walk(ctx, schema, costs, true)
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
	if p.Levels, err = bound.levels(maxBytes); err != nil {
		return nil, err
	}
	p.Reads = bound.reads()
	p.Text = text(graphql.GetOperationContext(ctx), p, bound)
	p.JSON, err = json.Marshal(p)
	if err == nil && maxBytes > 0 && len(p.JSON) > maxBytes {
		err = apierr.TooLong("the length of the plan in bytes", maxBytes)
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

type part struct {
	*record
	gets int64
}

// levels returns the levels in order, and sets the level of each record, from 1. It fails as soon
// as the paths alone are longer than maxBytes.
func (e *estimate) levels(maxBytes int) ([]Level, error) {
	parts := map[Stage][]part{}
	scans := 0
	for _, r := range e.records {
		if r.rows > 0 {
			scans++
			parts[Stage{scans, -1}] = []part{{record: r}} // the scan that begins the chain
			continue
		}
		for i := range r.Rounds {
			at := Stage{r.begun.chain, r.begun.round + i}
			parts[at] = append(parts[at], part{r, r.share(i)})
		}
	}
	order := slices.SortedFunc(maps.Keys(parts), func(a, b Stage) int {
		return cmp.Or(a.chain-b.chain, a.round-b.round)
	})
	levels, paths := make([]Level, len(order)), 0
	for i, at := range order {
		levels[i] = level(parts[at])
		for _, r := range parts[at] {
			r.level = cmp.Or(r.level, i+1)
		}
		for _, path := range levels[i].Path {
			paths += len(path)
		}
		if maxBytes > 0 && paths > maxBytes {
			return nil, apierr.TooLong("the length of the plan in bytes", maxBytes)
		}
	}
	return levels, nil
}

func level(parts []part) (l Level) {
	for _, r := range parts {
		l.Path = append(l.Path, r.step.path)
		if r.rows > 0 {
			l.Scans = 1
		}
		l.Gets, l.Rows = add(l.Gets, r.gets), add(l.Rows, add(r.gets, r.rows))
		of := r.loader()
		i := slices.IndexFunc(l.Loaders, of.equal)
		if i < 0 {
			i, l.Loaders = len(l.Loaders), append(l.Loaders, of)
		}
		l.Loaders[i].Gets = add(l.Loaders[i].Gets, r.gets)
	}
	l.RPCs = rpcs(1, l.Gets)
	slices.Sort(l.Path)
	l.Path = slices.Compact(l.Path)
	slices.SortStableFunc(l.Loaders, func(a, b Loader) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Table, b.Table))
	})
	return l
}

// reads must be called after levels.
func (e *estimate) reads() []FieldRead {
	all, index := make([]FieldRead, len(e.records)), make(map[*record]int, len(e.records))
	for i, r := range e.records {
		index[r] = i
	}
	for i, r := range e.records {
		read := FieldRead{Field: r.step.path, Loader: r.loader(), Level: r.level, Rounds: max(r.Rounds, 1),
			Rows: add(r.gets, r.rows)}
		read.Gets = r.gets
		if holder := r.holder(); holder != r {
			with := index[holder]
			read.With = &with
		}
		all[i] = read
	}
	return all
}

func (r *record) loader() Loader {
	return Loader{Name: r.Loader, Table: r.Table, Columns: strings.Fields(r.Columns), Limit: r.Limit, If: r.If}
}

func (l Loader) equal(o Loader) bool {
	return l.Name == o.Name && l.Table == o.Table && l.Limit == o.Limit && l.If == o.If &&
		slices.Equal(l.Columns, o.Columns)
}
