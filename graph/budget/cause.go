package budget

import (
	"cmp"
	"fmt"
	"slices"

	"twibase/graph/explain"
)

const maxCauses = 8

type cause struct {
	path, text string
	rows       int64 // additional
}

// causes returns the fields that became more expensive, in the order of the document. Of many, it
// returns those with the most additional rows, and the number of the others.
func (e *Entry) causes() (causes []cause, more int) {
	before := map[string]explain.Item{}
	if e.was != nil {
		for _, f := range e.was.Fields {
			before[f.Path] = f
		}
	}
	for _, f := range e.Fields {
		was, known := before[f.Path]
		if text := e.growth(f, was, known); text != "" {
			causes = append(causes, cause{f.Path, text, f.Rows - was.Rows})
		}
	}
	if more = len(causes) - maxCauses; more <= 0 {
		return causes, 0
	}
	largest := slices.Clone(causes)
	slices.SortStableFunc(largest, func(a, b cause) int { return cmp.Compare(b.rows, a.rows) })
	return slices.DeleteFunc(causes, func(c cause) bool { return !slices.Contains(largest[:maxCauses], c) }), more
}

// growth describes the larger figures of a field. known means that the baseline has it.
func (e *Entry) growth(now, was explain.Item, known bool) (text string) {
	add := func(format string, now, was int64) {
		if text != "" {
			text += "; "
		}
		if text += fmt.Sprintf(format, group(now)); known {
			text += ", was " + fmt.Sprintf(format[len(format)-len("≤ %s"):], group(was))
		}
	}
	if now.Rows > was.Rows {
		add("rows ≤ %s", now.Rows, was.Rows)
	}
	if now.Objects > was.Objects && (e.exceeds("objects") || known && text == "") {
		add("objects ≤ %s", now.Objects, was.Objects)
	}
	if now.Round > was.Round && e.exceeds("rounds") {
		add("rounds ≤ %s", now.Round, was.Round)
	}
	switch {
	case text != "" && e.was != nil && !known:
		text += ", new"
	case text != "" && now.Open != "":
		text += ", an assumption: " + now.Open
	}
	return text
}

func (e *Entry) exceeds(figure string) bool {
	return slices.ContainsFunc(e.Exceeds, func(x Excess) bool { return x.Name == figure })
}
