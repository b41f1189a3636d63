package explain

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// text draws a plan as a tree of fields: see docs/EXPLAIN.md.
func text(op *graphql.OperationContext, p *Plan, e *estimate) string {
	root := &step{label: strings.TrimSpace(string(op.Operation.Operation) + " " + cut(op.Operation.Name))}
	stack, written := []*step{root}, map[*ast.Field]string{}
	for i, s := range e.steps {
		for len(stack) > 1 && !strings.HasPrefix(s.path, stack[len(stack)-1].path+".") {
			stack = stack[:len(stack)-1]
		}
		above := stack[len(stack)-1]
		above.below, stack = append(above.below, s), append(stack, s)
		field := graphql.GetFieldContext(s.call.Ctx).Field.Field
		if _, known := written[field]; !known { // once for all spreads of a fragment
			written[field] = arguments(field)
		}
		s.label = strings.TrimPrefix(strings.TrimPrefix(s.path, above.path), ".") + written[field]
		p.Fields[i].Label = s.label
		if s.objects > 0 {
			s.label += " → " + number(s.objects)
		}
		if p.Fields[i].Error != "" {
			s.lines = append(s.lines, "fails: "+p.Fields[i].Error)
		}
		if s.open != "" {
			s.lines = append(s.lines, "without bound: "+s.open)
		}
	}
	for _, r := range e.records {
		r.step.lines = append(r.step.lines, r.line())
	}
	var b strings.Builder
	fmt.Fprintf(&b, "at most     %s\nordinarily  %s\n\n", p.Totals, p.Ordinary)
	root.draw(&b, "", "")
	b.WriteByte('\n')
	writeLevels(&b, p.Levels)
	return b.String()
}

func (s *step) draw(b *strings.Builder, first, rest string) {
	b.WriteString(first + s.label + "\n")
	bar := "   "
	if len(s.below) > 0 {
		bar = "│  "
	}
	for _, line := range s.lines {
		b.WriteString(rest + bar + line + "\n")
	}
	for i, below := range s.below {
		if i < len(s.below)-1 {
			below.draw(b, rest+"├─ ", rest+"│  ")
		} else {
			below.draw(b, rest+"└─ ", rest+"   ")
		}
	}
}

func writeLevels(b *strings.Builder, levels []Level) {
	for from := 0; from < len(levels); {
		cost := levels[from].totals()
		to := from + 1
		for to < len(levels) && levels[to].totals() == cost {
			to++
		}
		if to == from+1 {
			fmt.Fprintf(b, "level %d: %s\n", to, cost)
		} else {
			fmt.Fprintf(b, "levels %d–%d, each: %s\n", from+1, to, cost)
		}
		from = to
	}
}

func (l *Level) totals() Totals {
	return Totals{RPCs: l.RPCs, Gets: l.Gets, Scans: l.Scans, Rows: l.Rows}
}

// String omits zeros.
func (t Totals) String() string {
	var parts []string
	for _, p := range []struct {
		n    int64
		what string
	}{
		{t.Rounds, "round"}, {t.Gets, "Get"}, {t.Scans, "scan"}, {t.RPCs, "RPC"}, {t.Rows, "row"}, {t.Objects, "object"},
	} {
		switch p.n {
		case 0:
		case 1:
			parts = append(parts, "1 "+p.what)
		default:
			parts = append(parts, number(p.n)+" "+p.what+"s")
		}
	}
	return cmp.Or(strings.Join(parts, ", "), "nothing is read")
}

func number(n int64) string {
	if n == Most {
		return "countless"
	}
	return fmt.Sprint(n)
}

func (r *record) line() string {
	var b strings.Builder
	fmt.Fprint(&b, r.level)
	if r.Rounds > 1 {
		fmt.Fprint(&b, "–", r.level+r.Rounds-1)
	}
	columns := strings.Join(strings.Fields(r.Columns), ", ")
	switch {
	case r.rows > 0:
		fmt.Fprintf(&b, ": a scan of %s rows of %s (%s)", number(r.rows), r.Table, columns)
	case r.gets == 0:
		fmt.Fprintf(&b, ": in Gets of others, %s (%s)", r.Table, columns)
	default:
		fmt.Fprintf(&b, ": %s × %s (%s)", number(r.gets), r.Table, columns)
	}
	if r.Limit > 0 && r.rows == 0 {
		fmt.Fprintf(&b, ", the first %d", r.Limit)
	}
	fmt.Fprintf(&b, ", for %s", r.Loader)
	if r.If != "" {
		fmt.Fprintf(&b, ", if %s", r.If)
	}
	return b.String()
}

func arguments(field *ast.Field) string {
	var all []string
	for _, a := range field.Arguments {
		all = append(all, a.Name+": "+a.Value.String())
	}
	if all == nil {
		return ""
	}
	return "(" + cut(strings.Join(all, ", ")) + ")"
}

func cut(text string) string {
	const longest = 60
	if runes := []rune(text); len(runes) > longest {
		return string(runes[:longest-1]) + "…"
	}
	return text
}
