package budget

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Table writes all operations, and then the reasons of failed ones.
func (r *Report) Table(w io.Writer) error {
	rows := [][]string{append([]string{"operation"}, headings()...)}
	for i := range r.Operations {
		e := &r.Operations[i]
		rows = append(rows, append([]string{strings.TrimSpace(e.Kind + " " + e.label())}, r.cells(e)...))
	}
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		b.WriteString(row[0] + spaces(widths[0], row[0]))
		for i, cell := range row[1:] {
			b.WriteString("  " + spaces(widths[i+1], cell) + cell)
		}
		b.WriteByte('\n')
	}
	b.WriteString("\n" + r.Summary() + "\n")
	for i := range r.Removed {
		fmt.Fprintf(&b, "%s was removed since the baseline\n", r.Removed[i].label())
	}
	for i := range r.Operations {
		e := &r.Operations[i]
		if !e.Failed() {
			continue
		}
		fmt.Fprintf(&b, "\n%s of %s %s\n", e.label(), e.File, e.verdict())
		for _, line := range e.reasons(func(path string) string { return path }) {
			b.WriteString("  " + line + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func spaces(width int, cell string) string {
	return strings.Repeat(" ", width-utf8.RuneCountInString(cell))
}

func headings() (all []string) {
	for _, f := range figures[:shown] {
		all = append(all, f.heading())
	}
	return all
}

func (e *Entry) verdict() string {
	if len(e.Rejected) > 0 {
		return "is rejected"
	}
	return "costs more than allowed"
}

func (r *Report) cells(e *Entry) (cells []string) {
	for _, f := range figures[:shown] {
		now := f.of(e.Totals)
		cell := group(now)
		switch {
		case e.Fields == nil && len(e.Rejected) > 0: // it has no plan
			cell = "—"
		case e.was == nil && r.compares:
			cell += " (new)"
		case e.was != nil && now > f.of(e.was.Totals):
			cell += " (+" + group(now-f.of(e.was.Totals)) + ")"
		case e.was != nil && now < f.of(e.was.Totals):
			cell += " (−" + group(f.of(e.was.Totals)-now) + ")"
		}
		cells = append(cells, cell)
	}
	return cells
}
