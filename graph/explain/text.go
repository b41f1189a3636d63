package explain

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// text draws a plan as a tree of the fields with resolvers, each with its reads and their levels.
func text(op *graphql.OperationContext, p *Plan, e *estimate, numbers map[slot]int) string {
	t := &tree{}
	root := &branch{label: strings.TrimSpace(string(op.Operation.Operation) + " " + cut(op.Operation.Name))}
	stack, branches, written, scans := []*branch{root}, map[*step]*branch{}, map[*ast.Field]string{}, 0
	for i, s := range e.steps {
		path := p.Fields[i].Path
		for len(stack) > 1 && !strings.HasPrefix(path, stack[len(stack)-1].path+".") {
			stack = stack[:len(stack)-1]
		}
		above := stack[len(stack)-1]
		field := graphql.GetFieldContext(s.call.Ctx).Field.Field
		if _, known := written[field]; !known { // the arguments of a field in a fragment are formatted once
			written[field] = arguments(field)
		}
		b := &branch{path: path, label: strings.TrimPrefix(strings.TrimPrefix(path, above.path), ".") + written[field]}
		if s.objects > 0 {
			b.label += " → " + number(s.objects)
		}
		if p.Fields[i].Error != "" {
			b.lines = append(b.lines, "fails: "+p.Fields[i].Error)
		}
		if s.open != "" {
			b.lines = append(b.lines, "without bound: "+s.open)
		}
		above.below, branches[s] = append(above.below, b), b
		stack = append(stack, b)
	}
	for _, r := range e.records {
		at := slot{r.begun.chain, r.begun.round}
		if r.rows > 0 {
			scans++
			at = slot{scans, -1}
		}
		b := branches[r.step]
		b.lines = append(b.lines, r.line(numbers[at]))
	}
	fmt.Fprintf(t, "at most     %s\nordinarily  %s\n\n", p.Totals, p.Ordinary)
	t.draw(root, "", "")
	t.WriteByte('\n')
	t.levels(p.Levels)
	return t.String()
}

// levels writes the cost of each level. Consecutive levels of equal cost share a line.
func (t *tree) levels(levels []Level) {
	for from := 0; from < len(levels); {
		cost := levels[from].totals()
		to := from + 1
		for to < len(levels) && levels[to].totals() == cost {
			to++
		}
		if to == from+1 {
			fmt.Fprintf(t, "level %d: %s\n", to, cost)
		} else {
			fmt.Fprintf(t, "levels %d–%d, each: %s\n", from+1, to, cost)
		}
		from = to
	}
}

func (l *Level) totals() Totals {
	return Totals{RPCs: l.RPCs, Gets: l.Gets, Scans: l.Scans, Rows: l.Rows}
}

// String lists the totals that are not zero.
func (t Totals) String() string {
	var parts []string
	for _, p := range []struct {
		n    int64
		what string
	}{{t.Rounds, "round"}, {t.Gets, "Get"}, {t.Scans, "scan"}, {t.RPCs, "RPC"}, {t.Rows, "row"}, {t.Objects, "object"}} {
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

// line describes a read that begins in a level.
func (r *record) line(level int) string {
	var b strings.Builder
	fmt.Fprint(&b, level)
	if r.Rounds > 1 {
		fmt.Fprint(&b, "–", level+r.Rounds-1)
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

// arguments formats the arguments of a field as in the document, truncated.
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

// cut truncates a text of a client to a readable length.
func cut(text string) string {
	const longest = 60
	if runes := []rune(text); len(runes) > longest {
		return string(runes[:longest-1]) + "…"
	}
	return text
}

// branch is a field in the tree.
type branch struct {
	path, label string
	lines       []string
	below       []*branch
}

type tree struct{ strings.Builder }

// draw writes a branch. first precedes its label, and rest all lines below that.
func (t *tree) draw(b *branch, first, rest string) {
	t.WriteString(first + b.label + "\n")
	for _, line := range b.lines {
		bar := "   "
		if len(b.below) > 0 {
			bar = "│  "
		}
		t.WriteString(rest + bar + line + "\n")
	}
	for i, below := range b.below {
		if i < len(b.below)-1 {
			t.draw(below, rest+"├─ ", rest+"│  ")
		} else {
			t.draw(below, rest+"└─ ", rest+"   ")
		}
	}
}
